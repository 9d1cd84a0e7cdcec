//! LibraryXML: documents as sequences of records, one per element, in the order of the text.
//!
//! The record type of a call determines the fields that are filled.

use abridge_eval::{Result, Val};
use abridge_model::{Type, TypeId};
use abridge_value::{Int, Set, Value, relation, sequence};
use roxmltree::{Document, Node, ParsingOptions};

use super::{Call, text, unsupported_use};

/// Element of a document. Elements are numbered from 1 by position; the number of the parent is smaller, or 0 for a root.
#[derive(Default)]
struct Element {
    parent: usize,
    name: String,
    attributes: Vec<(String, String)>,
    meta: Vec<(String, String)>,
}

/// Attribute that contains the text inside an element.
const TEXT: &str = "text";
const LINE: &str = "xmlLineNumber";

impl Call<'_> {
    pub(super) fn document_function(&self) -> Result<Option<Val>> {
        match self.name {
            "READ_XML" => {
                let elements = xml_elements(&self.file(0)?).map_err(|why| self.unreadable(&why))?;
                self.document(&elements)
            }
            "READ_XML_FROM_STRING" => {
                let elements = xml_elements(self.str(0)?).map_err(|why| self.ill_defined(&why))?;
                self.document(&elements)
            }
            "READ_JSON" => {
                let elements = json_elements(&self.file(0)?).map_err(|why| self.unreadable(&why))?;
                self.document(&elements)
            }
            "WRITE_XML_TO_STRING" => text(self.written()?),
            _ => Ok(None),
        }
    }

    /// Sequence of records, with the fields of the type of the call.
    fn document(&self, elements: &[Element]) -> Result<Option<Val>> {
        self.session.ticks(elements.len() as u64)?;
        let shape = self.shape().ok_or_else(|| unsupported_use(self.name, "with a result of another type"))?;
        let records: Option<Vec<Value>> =
            elements.iter().enumerate().map(|(idx, element)| record(&shape, idx + 1, element)).collect();
        let records = records.ok_or_else(|| unsupported_use(self.name, "with other fields"))?;
        Ok(Some(sequence::from_items(records).into()))
    }

    /// Type of the records and the names of its fields.
    fn shape(&self) -> Option<(TypeId, Vec<&str>)> {
        let model = self.session.model();
        let Type::Pair(_, record) = model.types.get(model.types.elem(model.ty(self.node?))?) else { return None };
        let Type::Record(fields) = model.types.get(*record) else { return None };
        Some((*record, fields.iter().map(|(name, _)| name.as_str()).collect()))
    }

    /// XML text of a document.
    pub(super) fn written(&self) -> Result<String> {
        let wrong = || self.ill_defined("the sequence is no document");
        let elements: Option<Vec<Element>> = self.items(0)?.iter().map(|item| self.element(item)).collect();
        let elements = elements.ok_or_else(wrong)?;
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); elements.len() + 1];
        for (idx, element) in elements.iter().enumerate() {
            // A parent must come first, so there are no cycles.
            if element.parent > idx || !is_name(&element.name) {
                return Err(wrong());
            }
            children[element.parent].push(idx);
        }
        let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        write_elements(&elements, &children, 0, &mut out);
        Ok(out)
    }

    fn element(&self, value: &Value) -> Option<Element> {
        let model = self.session.model();
        let Value::Record(record) = value else { return None };
        let Type::Record(fields) = model.types.get(TypeId(record.shape())) else { return None };
        let mut element = Element::default();
        for ((name, _), value) in fields.iter().zip(record.fields()) {
            match name.as_str() {
                "pId" => element.parent = value.as_int()?.to_usize()?,
                "element" => element.name = value.as_str()?.to_owned(),
                "attributes" => element.attributes = pairs_of(value.as_set()?)?,
                _ => {}
            }
        }
        Some(element)
    }
}

fn xml_elements(source: &str) -> std::result::Result<Vec<Element>, String> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(source, options).map_err(|error| format!("the text is no XML: {error}"))?;
    let mut elements = Vec::new();
    // Documents may be nested deeply, so this is a loop. Elements come in the order of the text, so lines are counted incrementally.
    let (mut line, mut counted) = (1, 0);
    let mut open = vec![(document.root(), 0)];
    while let Some((node, parent)) = open.pop() {
        let mut own = parent;
        if node.is_element() {
            let start = node.range().start;
            // The text of an expanded entity lies earlier in the source.
            if start < counted {
                (line, counted) = (1, 0);
            }
            line += source.as_bytes()[counted..start].iter().filter(|byte| **byte == b'\n').count();
            counted = start;
            elements.push(xml_element(node, parent, line));
            own = elements.len();
        }
        open.extend(node.children().rev().map(|child| (child, own)));
    }
    Ok(elements)
}

fn xml_element(node: Node<'_, '_>, parent: usize, line: usize) -> Element {
    let mut attributes: Vec<(String, String)> =
        node.attributes().map(|item| (item.name().to_owned(), item.value().to_owned())).collect();
    if let Some(inner) = node.text().map(str::trim).filter(|inner| !inner.is_empty()) {
        attributes.push((TEXT.to_owned(), inner.to_owned()));
    }
    let meta = vec![(LINE.to_owned(), line.to_string())];
    Element { parent, name: node.tag_name().name().to_owned(), attributes, meta }
}

fn json_elements(source: &str) -> std::result::Result<Vec<Element>, String> {
    let document = serde_json::from_str(source).map_err(|error| format!("the text is no JSON: {error}"))?;
    let mut elements = Vec::new();
    collect_json(&document, "", 0, &mut elements);
    Ok(elements)
}

/// Collects the elements of a JSON value. Objects and arrays are elements, named by their key; other members are attributes. The JSON parser bounds
/// the depth.
fn collect_json(value: &serde_json::Value, name: &str, parent: usize, elements: &mut Vec<Element>) {
    use serde_json::Value as Json;
    let members: Vec<(String, &Json)> = match value {
        Json::Object(members) => members.iter().map(|(key, member)| (key.clone(), member)).collect(),
        Json::Array(items) => items.iter().enumerate().map(|(idx, item)| ((idx + 1).to_string(), item)).collect(),
        _ => vec![(TEXT.to_owned(), value)],
    };
    let scalar = |(key, member): &(String, &Json)| match member {
        Json::Object(_) | Json::Array(_) | Json::Null => None,
        Json::String(text) => Some((key.clone(), text.clone())),
        other => Some((key.clone(), other.to_string())),
    };
    let attributes = members.iter().filter_map(scalar).collect();
    elements.push(Element { parent, name: name.to_owned(), attributes, meta: Vec::new() });
    let own = elements.len();
    for (key, member) in members.iter().filter(|(_, member)| member.is_object() || member.is_array()) {
        collect_json(member, key, own, elements);
    }
}

fn record((ty, fields): &(TypeId, Vec<&str>), number: usize, element: &Element) -> Option<Value> {
    let values: Option<Vec<Value>> = fields
        .iter()
        .map(|field| match *field {
            "recId" => Some(Value::int(Int::from(number))),
            "pId" => Some(Value::int(Int::from(element.parent))),
            "element" => Some(Value::string(element.name.as_str())),
            "attributes" => Some(function_of(&element.attributes)),
            "meta" => Some(function_of(&element.meta)),
            _ => None,
        })
        .collect();
    Some(Value::record(ty.0, values?))
}

/// Function from names to values, as a set of pairs. Of several values of a name, the first counts.
fn function_of(pairs: &[(String, String)]) -> Value {
    let is_first = |idx: &usize| pairs[..*idx].iter().all(|(name, _)| *name != pairs[*idx].0);
    let kept = (0..pairs.len()).filter(is_first).map(|idx| &pairs[idx]);
    let pairs = kept.map(|(name, value)| Value::pair(Value::string(name.as_str()), Value::string(value.as_str())));
    Value::Set(pairs.collect::<Set>())
}

fn pairs_of(set: &Set) -> Option<Vec<(String, String)>> {
    relation::pairs(set).map(|(name, value)| Some((name.as_str()?.to_owned(), value.as_str()?.to_owned()))).collect()
}

/// True if a text can be the name of an element or attribute; an approximation of the rules of XML that can be read back.
fn is_name(text: &str) -> bool {
    let is_start = |ch: char| ch.is_alphabetic() || ch == '_';
    let is_rest = |ch: char| ch.is_alphanumeric() || "_-.".contains(ch);
    text.starts_with(is_start) && text.chars().all(is_rest)
}

fn write_elements(elements: &[Element], children: &[Vec<usize>], parent: usize, out: &mut String) {
    for idx in &children[parent] {
        let element = &elements[*idx];
        out.push_str(&format!("<{}", element.name));
        let (inner, attributes): (Vec<_>, Vec<_>) =
            element.attributes.iter().partition(|(name, _)| name == TEXT || !is_name(name));
        for (name, value) in attributes {
            out.push_str(&format!(" {name}=\"{}\"", escaped(value)));
        }
        out.push('>');
        inner.iter().filter(|(name, _)| name == TEXT).for_each(|(_, value)| out.push_str(&escaped(value)));
        if !children[idx + 1].is_empty() {
            out.push('\n');
            abridge_diag::with_stack(|| write_elements(elements, children, idx + 1, out));
        }
        out.push_str(&format!("</{}>\n", element.name));
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => out.push_str(&format!("&#{};", u32::from(ch))),
            ch => out.push(ch),
        }
    }
    out
}
