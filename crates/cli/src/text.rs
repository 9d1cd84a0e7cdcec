//! Pieces of text that several commands print: tables with aligned columns, reasons of the operating system.

/// Aligns a table: the first `n_texts` columns to the left, the others, which hold numbers, to the right.
pub(crate) fn aligned(rows: &[Vec<String>], n_texts: usize) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let cell = |(column, (text, width)): (usize, (&String, &usize))| {
        if column < n_texts { format!("{text:<width$}") } else { format!("{text:>width$}") }
    };
    let line = |row: &Vec<String>| row.iter().zip(&widths).enumerate().map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| line(row).trim_end().to_owned() + "\n").collect()
}

/// Reason why a file cannot be read or written, without the number of the operating system.
pub(crate) fn io_text(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}
