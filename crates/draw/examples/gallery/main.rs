//! Writes the graphs of the gallery into a folder, as SVG and as DOT: `cargo run -p abridge-draw --example gallery -- FOLDER`.

mod graphs;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".to_owned()));
    std::fs::create_dir_all(&folder)?;
    for (name, drawing) in graphs::graphs() {
        std::fs::write(folder.join(format!("{name}.svg")), drawing.svg())?;
        std::fs::write(folder.join(format!("{name}.dot")), drawing.dot())?;
        let picture = drawing.picture();
        let (n_nodes, n_edges) = (drawing.nodes.len(), drawing.edges.len());
        println!("{name}: {n_nodes} states, {n_edges} edges, {:.0} x {:.0}", picture.width, picture.height);
    }
    Ok(())
}
