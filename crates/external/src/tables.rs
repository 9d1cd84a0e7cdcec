//! LibraryCSV: tables of comma-separated values.
//!
//! The type of the result determines how the fields of a line are read.

use abridge_eval::{Result, Val};
use abridge_model::{Type, TypeId};
use abridge_value::{Int, PAIR_BYTES, Set, Value, relation, sequence};
use csv::{ReaderBuilder, StringRecord};

use super::Call;

/// Value of an empty field where a number is expected.
const NO_NUMBER: i64 = -1;

/// Approximate memory of a line in the sequence of lines.
const LINE_BYTES: usize = 2 * PAIR_BYTES;
/// Approximate memory of a field in the value of a line, without its text.
const FIELD_BYTES: usize = PAIR_BYTES + 48;

impl Call<'_> {
    pub(super) fn table_function(&self) -> Result<Option<Val>> {
        match self.name {
            "READ_CSV" => self.table(false),
            "READ_CSV_SEQUENCE" => self.table(true),
            "READ_CSV_STRINGS" => self.table_of_strings(),
            _ => Ok(None),
        }
    }

    /// Optional boolean argument; false if it is absent, as in older declarations.
    fn flag(&self, idx: usize) -> Result<bool> {
        self.args.get(idx).map_or(Ok(false), Val::bool)
    }

    fn table(&self, is_sequence: bool) -> Result<Option<Val>> {
        let model = self.session.model();
        let result = self.node.and_then(|node| model.types.elem(model.ty(node)));
        let line_type = match result.map(|elem| (elem, model.types.get(elem))) {
            Some((_, Type::Pair(_, second))) if is_sequence => *second,
            Some((elem, _)) if !is_sequence => elem,
            _ => return Err(super::unsupported_use(self.name, "with a result that is no table")),
        };
        let (skip, extra) = (self.flag(1)?, self.flag(2)?);
        let mut lines = Vec::new();
        self.for_each_line(0, &mut |idx, line| {
            if idx == 0 && skip {
                return Ok(());
            }
            let mut fields = line.iter();
            let wrong = |why: String| self.unreadable(&format!("line {}: {why}", idx + 1));
            let value = self.line_value(line_type, &mut fields).map_err(wrong)?;
            if fields.next().is_some() && !extra {
                return Err(wrong("there are more fields than the type has".to_owned()));
            }
            lines.push(value);
            Ok(())
        })?;
        let table = if is_sequence { sequence::from_items(lines) } else { lines.into_iter().collect() };
        Ok(Some(table.into()))
    }

    /// Calls `each` with the non-empty lines one by one. A table as text, fields and values at the same time would take many times the memory of the
    /// file.
    fn for_each_line(&self, file: usize, each: &mut dyn FnMut(usize, &StringRecord) -> Result<()>) -> Result<()> {
        let source = self.file(file)?;
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source.as_bytes());
        let mut line = StringRecord::new();
        let mut idx = 0;
        while reader.read_record(&mut line).map_err(|error| self.unreadable(&error.to_string()))? {
            self.session.ticks(1 + line.len() as u64)?;
            self.session.charge(LINE_BYTES + line.as_slice().len() + line.len() * FIELD_BYTES)?;
            each(idx, &line)?;
            idx += 1;
        }
        Ok(())
    }

    /// Reads as many fields as the type has leaves.
    fn line_value<'f>(
        &self,
        ty: TypeId,
        fields: &mut impl Iterator<Item = &'f str>,
    ) -> std::result::Result<Value, String> {
        let model = self.session.model();
        match model.types.get(ty) {
            Type::Pair(first, second) => {
                let first = self.line_value(*first, fields)?;
                Ok(Value::pair(first, self.line_value(*second, fields)?))
            }
            Type::Record(types) => {
                let values: std::result::Result<Vec<Value>, String> =
                    types.iter().map(|(_, ty)| self.line_value(*ty, fields)).collect();
                Ok(Value::record(ty.0, values?))
            }
            leaf => {
                let field = fields.next().ok_or("there are fewer fields than the type has")?.trim();
                self.leaf_value(leaf, field).ok_or_else(|| {
                    format!("`{field}` is no value of type {}", abridge_model::Model::type_text(model, ty))
                })
            }
        }
    }

    fn leaf_value(&self, ty: &Type, field: &str) -> Option<Value> {
        match ty {
            Type::String => Some(Value::string(field)),
            Type::Integer if field.is_empty() => Some(Value::Int(NO_NUMBER)),
            Type::Integer => Int::parse(field).map(Value::int),
            Type::Real => field.parse().ok().filter(|real: &f64| real.is_finite()).map(Value::real),
            Type::Bool if field.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
            Type::Bool if field.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
            Type::Given(set) => {
                let carrier = &self.session.model().sets[*set];
                let index = (0..carrier.size()).find(|index| carrier.element_name(*index) == field)?;
                Some(Value::element(set.0, index))
            }
            _ => None,
        }
    }

    /// Sequence of lines, each as a function from column names to fields.
    fn table_of_strings(&self) -> Result<Option<Val>> {
        let (mut names, mut rows) = (StringRecord::new(), Vec::new());
        self.for_each_line(0, &mut |idx, line| {
            if idx == 0 {
                names = line.clone();
                return Ok(());
            }
            let named = names.iter().zip(line).filter(|(_, field)| !field.is_empty());
            let row: Set = named.map(|(name, field)| Value::pair(Value::string(name), Value::string(field))).collect();
            if !relation::is_functional(&row) {
                return Err(self.unreadable("two columns have the same name"));
            }
            rows.push(Value::Set(row));
            Ok(())
        })?;
        Ok(Some(sequence::from_items(rows).into()))
    }
}
