// A shop that works for the seconds of SHOP_SECONDS, half of the time.
use std::time::{Duration, Instant};

#[inline(never)]
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut last = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let next = (row[j + 1] + 1).min(row[j] + 1).min(last + usize::from(x != y));
            last = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

#[inline(never)]
fn search_products() -> usize {
    (0..20_000).map(|i| edit_distance("garden chair", &format!("product {i}"))).min().unwrap()
}

#[inline(never)]
fn price_cart() -> f64 {
    (0..1_000_000u32).map(|i| f64::from(i * 107 % 997).sqrt()).sum()
}

fn work() {
    let seconds = std::env::var("SHOP_SECONDS").unwrap().parse().unwrap();
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        std::hint::black_box((search_products(), price_cart()));
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    SNIPPET
    Ok(())
}
