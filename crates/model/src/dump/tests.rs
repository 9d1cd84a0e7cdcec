#[test]
fn show() {
    println!("{}", super::dump(&crate::verify::build::sample()));
}
