//! Laws of the operators, for all sets and relations over small carriers, on concrete and on symbolic sets.

mod common;

use common::holds;

/// The law holds for all relations `r`, `q` on a carrier of two elements and all subsets `A`, `B` of it, as far as it mentions them.
#[track_caller]
fn for_all_relations(law: &str) {
    let is_word = |text: &str, name: &str| text.split(|ch: char| !ch.is_alphanumeric()).any(|word| word == name);
    let typing = [("r", "S <-> S"), ("q", "S <-> S"), ("A", "POW(S)"), ("B", "POW(S)")];
    let used: Vec<(&str, &str)> = typing.into_iter().filter(|(name, _)| is_word(law, name)).collect();
    let names: Vec<&str> = used.iter().map(|(name, _)| *name).collect();
    let types: Vec<String> = used.iter().map(|(name, set)| format!("{name} : {set}")).collect();
    holds(&format!("LET S BE S = {{a, b}} IN !({}).({} => {law}) END", names.join(", "), types.join(" & ")));
}

/// The law holds for all relations `r` on a carrier of three elements.
#[track_caller]
fn for_all_larger(law: &str) {
    holds(&format!("!r.(r : S <-> S => {law})"));
}

#[test]
fn operators_are_their_definitions() {
    for law in [
        "dom(r) = {x | #y.(x |-> y : r)}",
        "ran(r) = {y | #x.(x |-> y : r)}",
        "r~ = {y, x | x |-> y : r}",
        "r[A] = {y | #x.(x : A & x |-> y : r)}",
        "(r ; q) = {x, z | #y.(x |-> y : r & y |-> z : q)}",
        "A <| r = {x, y | x |-> y : r & x : A}",
        "A <<| r = {x, y | x |-> y : r & x /: A}",
        "r |> A = {x, y | x |-> y : r & y : A}",
        "r |>> A = {x, y | x |-> y : r & y /: A}",
        "r <+ q = (dom(q) <<| r) \\/ q",
        "r >< q = {x, p | #(y, z).(x |-> y : r & x |-> z : q & p = y |-> z)}",
        "(r || q) = {p, s | #(x, y, m, n).(x |-> m : r & y |-> n : q & p = x |-> y & s = m |-> n)}",
        "(A <: B <=> !x.(x : A => x : B)) & (A <<: B <=> (A <: B & A /= B))",
        "A \\/ B = {x | x : A or x : B} & A /\\ B = {x | x : A & x : B} & A - B = {x | x : A & x /: B}",
        "A * B = {x, y | x : A & y : B} & card(A * B) = card(A) * card(B)",
        "fnc(r) = %x.(x : dom(r) | r[{x}]) & rel(fnc(r)) = r",
        "union({A, B}) = A \\/ B & inter({A, B}) = A /\\ B",
        "card(A \\/ B) + card(A /\\ B) = card(A) + card(B)",
        "(r ; q)~ = (q~ ; r~) & r~~ = r".replace("r~~", "(r~)~").as_str(),
        "id(A) = A <| id(S) & (id(A) ; r) = A <| r & prj1(A, B) = {p, x | p : A * B & x = prj1(p)}",
    ] {
        for_all_relations(law);
    }
}

#[test]
fn sets_of_relations_are_their_definitions() {
    for law in [
        "(r : A <-> B <=> (dom(r) <: A & ran(r) <: B))",
        "(r : A +-> B <=> (r : A <-> B & !x.(x : dom(r) => card(r[{x}]) = 1)))",
        "(r : A --> B <=> (r : A +-> B & dom(r) = A))",
        "(r : A >+> B <=> (r : A +-> B & r~ : B +-> A))",
        "(r : A >-> B <=> (r : A >+> B & dom(r) = A))",
        "(r : A +->> B <=> (r : A +-> B & ran(r) = B))",
        "(r : A -->> B <=> (r : A --> B & ran(r) = B))",
        "(r : A >->> B <=> (r : A >-> B & r : A -->> B))",
        "(r : A <<-> B <=> (r : A <-> B & dom(r) = A))",
        "(r : A <->> B <=> (r : A <-> B & ran(r) = B))",
        "(r : A <<->> B <=> (r : A <<-> B & r : A <->> B))",
    ] {
        for_all_relations(law);
    }
    for arrow in ["<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>"] {
        holds(&format!(
            "!(A, B).(A <: S & B <: {{1, 2}} => (A {arrow} B) = {{f | f : POW(A * B) & f : A {arrow} B}}
               & card(A {arrow} B) = card({{f | f : POW(A * B) & f : A {arrow} B}}))"
        ));
    }
}

#[test]
fn closures_and_iteration() {
    for_all_larger("closure1(r) = r \\/ (r ; closure1(r)) & closure(r) = closure1(r) \\/ id(S)");
    for_all_larger("!q.(q : {r \\/ (r ; r)} => q <: closure1(r)) & (closure1(r) ; closure1(r)) <: closure1(r)");
    for_all_larger("iterate(r, 0) = id(S) & iterate(r, 1) = r & iterate(r, 3) = (r ; (r ; r))");
}

#[test]
fn formulas_behave_as_the_sets_they_denote() {
    let lambda = "{x, y | x |-> y : r}";
    for law in [
        format!("{lambda}[A] = r[A] & dom({lambda}) = dom(r) & ran({lambda}) = ran(r)"),
        format!(
            "A <| {lambda} = A <| r & A <<| {lambda} = A <<| r & {lambda} |> A = r |> A & {lambda} |>> A = r |>> A"
        ),
        format!(
            "({lambda} ; q) = (r ; q) & (q ; {lambda}) = (q ; r) & {lambda} <+ q = r <+ q & q <+ {lambda} = q <+ r"
        ),
        format!("({lambda})~ = r~ & ({lambda} \\/ q) = r \\/ q & ({lambda} - q) = r - q & (q - {lambda}) = q - r"),
        format!("({lambda} : A +-> B <=> r : A +-> B) & (r <: {lambda}) & ({lambda} <: q <=> r <: q)"),
        format!("closure1({lambda}) = closure1(r) & ({lambda} >< q) = r >< q & card({lambda}) = card(r)"),
        format!(
            "!x.(x : S => (x : dom({lambda} <+ q) <=> x : dom(r <+ q)) & ({lambda} <+ q)[{{x}}] = (r <+ q)[{{x}}])"
        ),
        format!(
            "!(x, y).(x : S & y : S => (x |-> y : ({lambda} ; q~) <=> x |-> y : (r ; q~)) & (x |-> y : closure1({lambda}) <=> x |-> y : closure1(r)))"
        ),
        format!("!x.(x : S & {lambda}[{{x}}] = {{b}} => ({lambda})(x) = r(x) & ({lambda} \\/ r)(x) = b)"),
    ] {
        for_all_relations(&law);
    }
    for law in ["%x.(x : A | x |-> x)", "{p · p : A | p |-> (p |-> p)}"] {
        for_all_relations(&format!("dom({law}) = A & !x.(x : A => ({law})(x) = x |-> x) & ({law})[B] = id(A /\\ B)"));
    }
}

#[test]
fn sequences() {
    for law in [
        "size(s ^ t) = size(s) + size(t) & rev(s ^ t) = rev(t) ^ rev(s) & conc([s, t]) = s ^ t",
        "(s /= [] => s = first(s) -> tail(s) & s = front(s) <- last(s) & last(s) = first(rev(s)))",
        "!n.(n : 0..size(s) => s = (s /|\\ n) ^ (s \\|/ n) & size(s /|\\ n) = n)",
        "s : seq(S) & (s : seq1(S) <=> s /= []) & (s : iseq(S) <=> card(ran(s)) = size(s)) & (s : perm(S) <=> (s : iseq(S) & ran(s) = S))",
    ] {
        holds(&format!(
            "LET Q BE Q = {{q | q : seq(S) & size(q) <= 2}} IN card(Q) = 13 & !(s, t).(s : Q & t : Q => {law}) END"
        ));
    }
}
