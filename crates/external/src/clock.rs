//! Date and time, in UTC.
//!
//! The clock stands still during a run. Its value is not a function of the state, so every use is reported as a warning.

use abridge_eval::{Result, Val};
use abridge_value::Int;

use super::{Call, number};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Dates after this year are refused.
const LAST_YEAR: i64 = 1_000_000;

impl Call<'_> {
    pub(super) fn time_function(&self) -> Result<Option<Val>> {
        match self.name {
            "TIME" => {
                self.impure();
                let now = self.session.config().world.now();
                match self.str(0)? {
                    "now" => number(Int::from(now)),
                    what => self.part(what, now),
                }
            }
            "TIMESTAMP" => self.stamp(),
            "TIMESTAMP_INFO" => {
                let stamp = self.int(1)?.to_i64().filter(|stamp| stamp.abs() < LAST_YEAR * 366 * DAY);
                self.part(self.str(0)?, stamp.ok_or_else(|| self.ill_defined("the time is too far away"))?)
            }
            // The clock stands still, so no time has passed.
            "WALLTIME" | "DELTA_WALLTIME" | "RUNTIME" => {
                self.impure();
                number(Int::ZERO)
            }
            _ => Ok(None),
        }
    }

    fn part(&self, what: &str, stamp: i64) -> Result<Option<Val>> {
        let (year, month, day) = date_of(stamp.div_euclid(DAY));
        let second = stamp.rem_euclid(DAY);
        number(Int::from(match what {
            "year" => year,
            "month" => month,
            "day" => day,
            "hour" => second / HOUR,
            "min" => second % HOUR / MINUTE,
            "sec" => second % MINUTE,
            _ => return Err(self.ill_defined(&format!("there is no part `{what}` of a time"))),
        }))
    }

    fn stamp(&self) -> Result<Option<Val>> {
        let mut parts = [0; 6];
        for (idx, part) in parts.iter_mut().enumerate() {
            *part = self.int(idx)?.to_i64().filter(|part| part.abs() <= LAST_YEAR).unwrap_or(i64::MAX);
        }
        let [year, month, day, hour, minute, second] = parts;
        let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
        let is_month = year.abs() <= LAST_YEAR && (1..=12).contains(&month) && (1..=31).contains(&day);
        if !is_time || !is_month || date_of(days_before(year, month, day)) != (year, month, day) {
            return Err(self.ill_defined("the numbers are no date and time"));
        }
        number(Int::from(days_before(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second))
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. Internally, years begin in March, so that a leap day is the last day of a year.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Date of a number of days since 1970-01-01; inverse of [`days_before`].
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = ((5 * day_of_year + 2) / 153 + 2) % 12 + 1;
    let day = day_of_year - (153 * ((month + 9) % 12) + 2) / 5 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        assert_eq!(days_before(1970, 1, 1), 0);
        assert_eq!(days_before(2000, 3, 1), 11_017);
        for days in -800_000..800_000 {
            let (year, month, day) = date_of(days);
            assert_eq!(days_before(year, month, day), days, "{year}-{month}-{day}");
            assert!((1..=12).contains(&month) && (1..=31).contains(&day));
        }
    }
}
