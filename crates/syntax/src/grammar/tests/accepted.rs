//! Correct texts and their trees.

use super::{check, check_file, check_substitution};

#[test]
fn connectives_of_one_level_associate_to_the_left() {
    check("x=1 or y=2 & z=3", "(& (or (= x 1) (= y 2)) (= z 3))");
    check("x=1 => y=2 <=> z=3 & a=b", "(=> (= x 1) (& (<=> (= y 2) (= z 3)) (= a b)))");
    check("p=1 => q=2 => r=3", "(=> (=> (= p 1) (= q 2)) (= r 3))");
    check("a & b & c", "(& a b c)");
    check("(a & b) & c", "(& (& a b) c)");
    check("a & (b & c)", "(& a (& b c))");
    check("a & b or c or d & e", "(& (or (& a b) c d) e)");
    check("not(x=1) & y=2", "(& (not (= x 1)) (= y 2))");
}

#[test]
fn arithmetic() {
    check("-2**2", "(** (neg 2) 2)");
    check("2**3**2", "(** 2 (** 3 2))");
    check("2**-3", "(** 2 (neg 3))");
    check("a- -b", "(- a (neg b))");
    check("a*-1", "(* a (neg 1))");
    check("1+2-3*4/5 mod 6", "(- (+ 1 2) (mod (/ (* 3 4) 5) 6))");
    check("card(S)-1..3", "(.. (- (card S) 1) 3)");
    check("1..3", "(.. 1 3)");
    check("x=2or y=3", "(or (= x 2) (= y 3))");
    check("s<-1 = t", "(= (<- s 1) t)");
    check("x< -1", "(< x (neg 1))");
}

#[test]
fn relations_and_functions() {
    check("A <| f \\/ g", "(\\/ (<| A f) g)");
    check("A \\/ B <| f", "(<| (\\/ A B) f)");
    check("a |-> b |-> c", "(|-> (|-> a b) c)");
    check("(1,2,3)=((1,2),3)", "(= (tuple 1 2 3) (tuple (tuple 1 2) 3))");
    check("f : A --> B <-> C", "(: f (<-> (--> A B) C))");
    check("(r~)~", "(~ (~ r))");
    check("r~[S](x)", "(apply (image (~ r) S) x)");
    check("f(x)(y)[S]'a", "(field (image (apply (apply f x) y) S) a)");
    check("(f;g;h)", "(; (; f g) h)");
    check("(f;g||h)", "(|| (; f g) h)");
    check("dom(f;g)", "(dom (; f g))");
    check("r[s;t]", "(image r (; s t))");
    check("{f;g}", "(set (; f g))");
    check("%x.(x:S|f;g)", "(% [x] (: x S) (; f g))");
    check("rec(a:(f;g),b:f;g)", "(rec a:(; f g) b:(; f g))");
    check("a ∘ b", "(∘ a b)");
}

#[test]
fn every_ascii_operator() {
    for op in [
        "=", "/=", ":", "/:", "<:", "/<:", "<<:", "/<<:", "<", "<=", ">", ">=", "<->", "+->", "-->", ">+>", ">->",
        "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>", "<+", "><", "^", "<|", "<<|", "|>", "|>>", "->", "<-",
        "\\/", "/\\", "/|\\", "\\|/", "|->", "..", "-", "+", "\\", "*", "/", "mod", "**", "=>", "<=>",
    ] {
        check(&format!("a {op} b"), &format!("({op} a b)"));
    }
    check("a & b", "(& a b)");
    check("a or b", "(or a b)");
}

#[test]
fn every_unicode_operator() {
    let pairs = [
        ("⇒", "=>"),
        ("⟹", "=>"),
        ("⇔", "<=>"),
        ("⟺", "<=>"),
        ("≠", "/="),
        ("∈", ":"),
        ("∉", "/:"),
        ("⊆", "<:"),
        ("⊈", "/<:"),
        ("⊂", "<<:"),
        ("⊊", "<<:"),
        ("⊄", "/<<:"),
        ("≤", "<="),
        ("≥", ">="),
        ("−", "-"),
        ("∗", "*"),
        ("÷", "/"),
        ("˄", "**"),
        ("×", "×"),
        ("⨯", "×"),
        ("∪", "\\/"),
        ("∩", "/\\"),
        ("∖", "\\"),
        ("‥", ".."),
        ("↦", "|->"),
        ("↔", "<->"),
        ("⇸", "+->"),
        ("→", "-->"),
        ("⤔", ">+>"),
        ("↣", ">->"),
        ("⤀", "+->>"),
        ("↠", "-->>"),
        ("⤖", ">->>"),
        ("\u{e100}", "<<->"),
        ("\u{e101}", "<->>"),
        ("\u{e102}", "<<->>"),
        ("◁", "<|"),
        ("⩤", "<<|"),
        ("◀", "<<|"),
        ("▷", "|>"),
        ("⩥", "|>>"),
        ("▶", "|>>"),
        ("\u{e103}", "<+"),
        ("⋖", "<+"),
        ("⊗", "><"),
        ("∘", "∘"),
        ("⌒", "^"),
        ("⇾", "->"),
        ("⇽", "<-"),
        ("↑", "/|\\"),
        ("↓", "\\|/"),
        ("∧", "&"),
        ("∨", "or"),
        ("−−>", "-->"),
        ("−->>", "-->>"),
        ("+−>", "+->"),
        ("|−>", "|->"),
        ("<−>", "<->"),
        ("⦂", "oftype"),
    ];
    for (unicode, ascii) in pairs {
        check(&format!("a {unicode} b"), &format!("({ascii} a b)"));
    }
    for (unicode, ascii) in
        [("∋", ":"), ("∌", "/:"), ("⊇", "<:"), ("⊃", "<<:"), ("⊋", "<<:"), ("⊉", "/<:"), ("⊅", "/<<:")]
    {
        check(&format!("a {unicode} b"), &format!("({ascii} b a)"));
    }
    check("(f ∥ g)", "(|| f g)");
    check("(f ‖ g)", "(|| f g)");
    check("¬(⊤) ∧ ⊥", "(& (not btrue) bfalse)");
    check("∀x·(x∈ℕ ⇒ x≥0)", "(! [x] (=> (: x NATURAL) (>= x 0)))");
    check("∃x,y⋅(x=y)", "(# [x y] (= x y))");
    check("λx•(x∈ℤ∣x)", "(% [x] (: x INTEGER) x)");
    check("𝜆x.(x:ℝ|x)", "(% [x] (: x REAL) x)");
    check("∑(x).(x∈ℕ1|x)", "(SIGMA [x] (: x NATURAL1) x)");
    check("∏x.(x∈ℕ₁|x)", "(PI [x] (: x NATURAL1) x)");
    check("⋃x.(x:S|x) = ⋂x.(x:S|x)", "(= (UNION [x] (: x S) x) (INTER [x] (: x S) x))");
    check("ℙ(𝔹) = ℙ1(S) \\/ ℙ₁(∅)", "(= (POW BOOL) (\\/ (POW1 S) (POW1 {})))");
    check("r∼ = r⁻¹", "(= (~ r) (~ r))");
}

#[test]
fn sets_and_comprehensions() {
    check("{}", "{}");
    check("{ }", "{}");
    check("{1,2|->3}", "(set 1 (|-> 2 3))");
    check("{x|x:1..3}", "(such [x] (: x (.. 1 3)))");
    check("{x,y|x=y}", "(such [x y] (= x y))");
    check("{(x,y)|x=y}", "(such [x y] (= x y))");
    check("{x|->y | x:1..2 & y=x}", "(maplets [x y] (& (: x (.. 1 2)) (= y x)))");
    check("{(x).x:1..3|x*x}", "(all [x] (: x (.. 1 3)) (* x x))");
    check("{x·x:1..3|x*x}", "(all [x] (: x (.. 1 3)) (* x x))");
    check("{x,y•x=y|x+y}", "(all [x y] (= x y) (+ x y))");
    check("{a,b}", "(set a b)");
    check("[a,b](1)", "(apply (sequence a b) 1)");
    check("[] ^ <> ^ < >", "(^ (^ [] []) [])");
    check("[5,6,7]/|\\2", "(/|\\ (sequence 5 6 7) 2)");
    check("[5,6,7]\\|/2", "(\\|/ (sequence 5 6 7) 2)");
    check("4->[5]<-6", "(<- (-> 4 (sequence 5)) 6)");
}

#[test]
fn quantifiers() {
    check("!x.(x:S => x>1)", "(! [x] (=> (: x S) (> x 1)))");
    check("!(x,y).(x=y)", "(! [x y] (= x y))");
    check("!x,y.(x=y) & #z . (z=1)", "(& (! [x y] (= x y)) (# [z] (= z 1)))");
    check("%(x,y).(x:1..2 & y:1..2|x+y)(1,2)", "(apply (% [x y] (& (: x (.. 1 2)) (: y (.. 1 2))) (+ x y)) 1 2)");
    check("SIGMA(x).(x:{1,2,3}|1)", "(SIGMA [x] (: x (set 1 2 3)) 1)");
    check("PI(x).(x:1..0|x)", "(PI [x] (: x (.. 1 0)) x)");
}

#[test]
fn keyword_functions() {
    check("prj1(INTEGER,INTEGER)(4|->2)", "(apply (prj1 INTEGER INTEGER) (|-> 4 2))");
    check("prj1(4|->2)", "(prj1 (|-> 4 2))");
    check("@prj1(x)", "(apply @prj1 x)");
    check("@partition(S,A,B) & @finite(S)", "(& (@partition S A B) (@finite S))");
    check("bool(1=1)=TRUE", "(= (bool (= 1 1)) TRUE)");
    check("succ(1) = pred(3)", "(= (apply succ 1) (apply pred 3))");
    check("iterate(r,2)[{1}]", "(image (iterate r 2) (set 1))");
    check("floor(x) + floor", "(+ (floor x) floor)");
    check("top(t) = top & `top`(t) = left", "(& (= (top t) top) (= (apply top t) left))");
    check("bin(1) = bin(l,x,r)", "(= (bin 1) (bin l x r))");
}

#[test]
fn records_and_blocks() {
    check("rec(b:1,a:2)=rec((a:2),(b:1))", "(= (rec b:1 a:2) (rec a:2 b:1))");
    check("struct(f:BOOL,g:1..2)", "(struct f:BOOL g:(.. 1 2))");
    check("r'a'b", "(field (field r a) b)");
    check("IF x=1 THEN 2 ELSE 3 END + 1", "(+ (if (= x 1) 2 3) 1)");
    check("IF a THEN b ELSIF c THEN d ELSE e END", "(if a b c d e)");
    check("IF x=1 THEN y=1 ELSE y=2 END & z=1", "(& (if (= x 1) (= y 1) (= y 2)) (= z 1))");
    check("LET x,y BE x=1 & y=2 IN x+y END", "(let [x y] (& (= x 1) (= y 2)) (+ x y))");
    check("[x,y:=1,2] x=y & z=1", "(& (:= [x y] [1 2] (= x y)) (= z 1))");
}

#[test]
fn names_and_literals() {
    check("m.x + a . b . c", "(+ m.x a.b.c)");
    check("x$0 + a.b$0", "(+ x$0 a.b$0)");
    check("`a b`.`MACHINE`", "a b.MACHINE");
    check("x₁ + y′ + été + aλ", "(+ (+ (+ x₁ y′) été) aλ)");
    check("\"\\d\" ^ \"a\\\"b\\n\"", "(^ \"\\\\d\" \"a\\\"b\\n\")");
    check("'''a''b'''", "\"a''b\"");
    check("'''a\r\nb'''", "\"a\\nb\"");
    check("0xFF + 007 + 1.5e2 + 1.5E-2 + 1.5", "(+ (+ (+ (+ 0xFF 007) 1.5e2) 1.5E-2) 1.5)");
    check("```a${x+{1}}b${y}```", "(template \"a\" (+ x (set 1)) \"b\" y)");
    check("``````", "(template)");
    check("```a${ ```b${c}``` }```", "(template \"a\" (template \"b\" c))");
    check("a,b,c", "(tuple a b c)");
}

#[test]
fn blanks_and_comments() {
    check("\u{feff}a\u{a0}+\u{2028}b // c\n /* d */ + /**/ e", "(+ (+ a b) e)");
    check("#! /usr/bin/env abridge\nx", "x");
    check("a/*b*/ + c//d", "(+ a c)");
    check("/*@ unit 10**1 */ x", "x");
}

#[test]
fn pragmas_in_formulas() {
    check("/*@label a*/ x=1 & /*@ label \"b c\" */ /*@label d*/ y=2", "(& (label a (= x 1)) (label b c,d (= y 2)))");
    check("/*@label a*/ p <=> q or r", "(or (label a (<=> p q)) r)");
    check("x=1 /*@desc first */ & y=2 /*@ desc second*/", "(& (desc (= x 1) \"first\") (desc (= y 2) \"second\"))");
    check("(1 + 2 /*@desc sum*/)", "(desc (+ 1 2) \"sum\")");
    check("/*@symbolic*/ {x|x>1}", "(symbolic (such [x] (> x 1)))");
    check("/*@ symbolic */ %x.(x:S|x)", "(symbolic (% [x] (: x S) x))");
    check("(f /*@symbolic*/ ; g)", "(symbolic (; f g))");
}

#[test]
fn substitutions() {
    check_substitution("skip", "skip");
    check_substitution(
        "x,f(1)(2),r'a'b,f(1)'a := 1,2,3,4",
        "(:= [x (apply (apply f 1) 2) (field (field r a) b) (field (apply f 1) a)] [1 2 3 4])",
    );
    check_substitution("x,y :: S*T", "(:: [x y] (* S T))");
    check_substitution("x,y :(x=y$0)", "(: [x y] (= x y$0))");
    check_substitution("x :∈ S ; y ≔ 1", "(; (:: [x] S) (:= [y] [1]))");
    check_substitution(
        "a:=1 || b:=2 ; c:=3 ; d:=4 || e:=5 || f:=6",
        "(; (|| (:= [a] [1]) (:= [b] [2])) (:= [c] [3]) (|| (:= [d] [4]) (:= [e] [5]) (:= [f] [6])))",
    );
    check_substitution("BEGIN skip END", "(begin skip)");
    check_substitution("PRE P THEN skip END", "(pre P skip)");
    check_substitution("ASSERT P THEN skip END", "(assert P skip)");
    check_substitution("WITNESS P THEN skip END", "(witness P skip)");
    check_substitution("SELECT P THEN skip WHEN Q THEN skip ELSE skip END", "(select P skip Q skip else:skip)");
    check_substitution("IF P THEN skip ELSIF Q THEN skip ELSE skip END", "(if P skip Q skip else:skip)");
    check_substitution("IF P THEN skip END", "(if P skip)");
    check_substitution("CHOICE skip OR x:=1 END", "(choice skip (:= [x] [1]))");
    check_substitution(
        "CASE x OF EITHER 1,2 THEN skip OR 3 THEN x:=1 ELSE x:=2 END END",
        "(case x [1 2] skip [3] (:= [x] [1]) else:(:= [x] [2]))",
    );
    check_substitution("ANY x,y WHERE P THEN skip END", "(any [x y] P skip)");
    check_substitution("LET x BE x=1 IN skip END", "(let [x] (= x 1) skip)");
    check_substitution("VAR x IN x:=1;y:=x END", "(var [x] (; (:= [x] [1]) (:= [y] [x])))");
    check_substitution("WHILE P DO skip INVARIANT Q VARIANT n END", "(while P skip Q n)");
    check_substitution("op", "(call [] op [])");
    check_substitution("a.op(1,2)", "(call [] a.op [1 2])");
    check_substitution("left(x)", "(call [] left [x])");
    check_substitution("x,f(1) <-- m.op(3)", "(call [x (apply f 1)] m.op [3])");
    check_substitution("x ← op", "(call [x] op [])");
}

#[test]
fn machines() {
    check_file("MACHINE M END", "(machine M)");
    check_file(
        "/*@package a.b*/ /*@import-package c.*; */ /*@generated*/ MODEL M(S,t) CONSTRAINTS t:NAT & card(S)=2 END",
        "(model M [S t] Package(\"a.b\") ImportPackage(\"c.*;\") Generated (constraints (& (: t NAT) (= (card S) 2))))",
    );
    check_file(
        "MACHINE M SETS S; T={a,b /*@desc second*/} /*@desc letters*/; U=D VARIABLES x /*@desc the x*/, y INVARIANT x:S INITIALISATION x::S END",
        "(machine M (sets [S] [T:\"letters\"]=[a b:\"second\"] [U]=D) (variables [x:\"the x\" y]) (invariant (: x S)) (init (:: [x] S)))",
    );
    check_file(
        "MACHINE M SEES a.b.N, K /*@file \"x/K.mch\"*/ INCLUDES p.N(1,S), L PROMOTES p.op, op2 ASSERTIONS 1=1; 2=2 END",
        "(machine M (sees a.b.N K@\"x/K.mch\") (includes p.N(1)(S) L) (promotes [p.op op2]) (assertions (= 1 1) (= 2 2)))",
    );
    check_file(
        "MACHINE M OPERATIONS a = skip; r,s <-- b(x,y) = BEGIN r:=x || s:=y END; c ref d = skip END",
        "(machine M (operations (op [] a [] skip) (op [r s] b [x y] (begin (|| (:= [r] [x]) (:= [s] [y])))) (op [] c [] ref:d skip)))",
    );
    check_file(
        "IMPLEMENTATION I REFINES R IMPORTS N VALUES c=1; d=2 CONCRETE_VARIABLES v LOCAL_OPERATIONS a=skip END",
        "(implementation I refines:R (imports N) (values c=1 d=2) (concrete-variables [v]) (local-operations (op [] a [] skip)))",
    );
    check_file(
        "MACHINE M FREETYPES T = c0, c1(POW(T)); L(X) = nil, cons(X*L) END",
        "(machine M (freetypes (free T [] [c0 c1:(POW T)]) (free L [X] [nil cons:(* X L)])))",
    );
}

#[test]
fn definitions() {
    check_file(
        "DEFINITIONS \"a.def\"; A == 1; f(x,y) == x+y; P == x=1; S == skip; L == a,b; G(y) == op(y);",
        "[\"a.def\" (== A [] 1) (== f [x y] (+ x y)) (== P [] (= x 1)) (== S [] do:skip) (== L [] (tuple a b)) (== G [y] (apply op y))]",
    );
    check_file(
        "DEFINITIONS S == BEGIN x:=1||y:=2; z:=3 END; T == x,y := 1,2; U == x::S; V == r <-- op(1); W == x:(x>1)",
        "[(== S [] do:(begin (; (|| (:= [x] [1]) (:= [y] [2])) (:= [z] [3])))) (== T [] do:(:= [x y] [1 2])) (== U [] do:(:: [x] S)) (== V [] do:(call [r] op [1])) (== W [] do:(: [x] (> x 1)))]",
    );
    check_file(
        "DEFINITIONS A == IF p THEN 1 ELSE 2 END; B == IF p THEN x:=1 ELSE x:=2 END; C == LET x BE x=1 IN y:=x END; D == (f;g)",
        "[(== A [] (if p 1 2)) (== B [] do:(if p (:= [x] [1]) else:(:= [x] [2]))) (== C [] do:(let [x] (= x 1) (:= [y] [x]))) (== D [] (; f g))]",
    );
    check_file(
        "MACHINE M DEFINITIONS A == 1; EXPRESSIONS e(x) == x+1; f == 2 PREDICATES p == 1=1 END",
        "(machine M (definitions (== A [] 1)) (expressions (== e [x] (+ x 1)) (== f [] 2)) (predicates (== p [] (= 1 1))))",
    );
    check_file("MACHINE M DEFINITIONS A == r[s;t] END", "(machine M (definitions (== A [] (image r (; s t)))))");
}
