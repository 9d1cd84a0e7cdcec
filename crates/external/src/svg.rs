//! LibrarySVG: texts for attributes of drawings.
//!
//! Numbers are integers or reals, written as in B.

use abridge_eval::{Result, Val, value_text};
use abridge_value::{Int, Value};

use super::{Call, text};

impl Call<'_> {
    pub(super) fn svg_function(&self) -> Result<Option<Val>> {
        match self.name {
            "svg_points" => {
                let points: Result<Vec<(Value, Value)>> = self.items(0)?.iter().map(|item| self.both(item)).collect();
                text(self.line(&points?))
            }
            "svg_axis" => self.axis(),
            "svg_set_polygon" => self.steps(Some(self.scalar(2)?), self.scalar(3)?),
            "svg_set_polygon_auto" => self.steps(None, self.scalar(2)?),
            "svg_train" => self.train(),
            "svg_dasharray_for_intervals" => self.dashes(),
            _ => Ok(None),
        }
    }

    fn scalar(&self, idx: usize) -> Result<Value> {
        self.session.finite(self.arg(idx)?, self.env)
    }

    fn both(&self, item: &Value) -> Result<(Value, Value)> {
        let pair = item.as_pair().ok_or_else(|| self.ill_defined("a pair is expected"))?;
        Ok((pair.0.clone(), pair.1.clone()))
    }

    fn line(&self, points: &[(Value, Value)]) -> String {
        let model = self.session.model();
        points.iter().map(|(x, y)| format!("{},{} ", value_text(model, x), value_text(model, y))).collect()
    }

    fn axis(&self) -> Result<Option<Val>> {
        let (scale, max, height) = (self.scalar(1)?, self.scalar(2)?, self.scalar(3)?);
        let half = self.real_of(&height)? / 2.0;
        let zero = || Value::Int(0);
        let mut points = Vec::new();
        for tick in &self.set(0)? {
            let x = self.scaled_by(&tick, &scale)?;
            points.extend([
                (x.clone(), zero()),
                (x.clone(), Value::real(half)),
                (x.clone(), Value::real(-half)),
                (x, zero()),
            ]);
        }
        points.push((max, zero()));
        text(self.line(&points))
    }

    /// Step line that is raised over the numbers of a set.
    fn steps(&self, end: Option<Value>, height: Value) -> Result<Option<Val>> {
        let scale = self.scalar(1)?;
        let zero = || Value::Int(0);
        let mut points: Vec<(Value, Value)> = Vec::new();
        let numbers: Option<Vec<Int>> = self.set(0)?.iter().map(|value| value.as_int()).collect();
        let numbers = numbers.ok_or_else(|| self.ill_defined("a set of integers is expected"))?;
        let mut rest = numbers.as_slice();
        while let Some(first) = rest.first() {
            let run = rest.iter().enumerate().take_while(|(idx, number)| **number == first + &Int::from(*idx)).count();
            let from = self.scaled_by(&Value::int(first.clone()), &scale)?;
            let to = self.scaled_by(&Value::int(first + &Int::from(run)), &scale)?;
            points.extend([(from.clone(), zero()), (from, height.clone()), (to.clone(), height.clone()), (to, zero())]);
            rest = &rest[run..];
        }
        points.extend(end.map(|end| (end, zero())));
        text(self.line(&points))
    }

    fn train(&self) -> Result<Option<Val>> {
        let (start, length, scale) = (self.scalar(0)?, self.scalar(1)?, self.scalar(2)?);
        let (slant, height) = (self.scalar(3)?, self.scalar(4)?);
        let back = self.scaled_by(&start, &scale)?;
        let front = self.sum(&back, &self.scaled_by(&length, &scale)?, 1.0)?;
        let nose = self.sum(&front, &slant, -1.0)?;
        let zero = Value::Int(0);
        text(self.line(&[
            (back.clone(), height.clone()),
            (front, height.clone()),
            (nose, zero.clone()),
            (back.clone(), zero),
            (back, height),
        ]))
    }

    /// Lengths of gaps and dashes up to position 100, starting with a gap.
    fn dashes(&self) -> Result<Option<Val>> {
        let mut lengths = vec![0.0];
        let mut position = 0.0;
        for item in self.items(0)? {
            let (from, to) = self.both(&item)?;
            let (from, to) = (self.real_of(&from)?, self.real_of(&to)?);
            if from < position || to < from {
                return Err(self.ill_defined("the parts overlap or are not ordered"));
            }
            lengths.extend([from - position, to - from]);
            position = to;
        }
        if position < 100.0 {
            lengths.push(100.0 - position);
        }
        let model = self.session.model();
        text(
            lengths
                .into_iter()
                .map(|length| format!("{} ", value_text(model, &Value::real(length))))
                .collect::<String>(),
        )
    }

    fn real_of(&self, value: &Value) -> Result<f64> {
        let real = value.as_real().or_else(|| value.as_int().map(|int| int.to_f64()));
        real.ok_or_else(|| self.ill_defined("a number is expected"))
    }

    /// Scaled value: an exact product of integers, otherwise a real.
    fn scaled_by(&self, value: &Value, scale: &Value) -> Result<Value> {
        match (value.as_int(), scale.as_int()) {
            (Some(value), Some(scale)) => Ok(Value::int(&value * &scale)),
            _ => Ok(Value::real(self.real_of(value)? * self.real_of(scale)?)),
        }
    }

    fn sum(&self, left: &Value, right: &Value, sign: f64) -> Result<Value> {
        match (left.as_int(), right.as_int()) {
            (Some(left), Some(right)) if sign > 0.0 => Ok(Value::int(&left + &right)),
            (Some(left), Some(right)) => Ok(Value::int(&left - &right)),
            _ => Ok(Value::real(self.real_of(left)? + sign * self.real_of(right)?)),
        }
    }
}
