<?php
// A shop that works for the seconds of SHOP_SECONDS, half of the time.
SNIPPET

function edit_distance(string $a, string $b): int
{
    $row = range(0, strlen($b));
    for ($i = 1; $i <= strlen($a); $i++) {
        $last = $row[0];
        $row[0] = $i;
        for ($j = 1; $j <= strlen($b); $j++) {
            $next = min($row[$j] + 1, $row[$j - 1] + 1, $last + ($a[$i - 1] === $b[$j - 1] ? 0 : 1));
            $last = $row[$j];
            $row[$j] = $next;
        }
    }
    return $row[strlen($b)];
}

function search_products(): int
{
    return min(array_map(fn($i) => edit_distance('garden chair', "product $i"), range(0, 20)));
}

function price_cart(): float
{
    $sum = 0;
    for ($i = 0; $i < 5000; $i++) {
        $sum += ($i * 107 % 997) / 100;
    }
    return $sum;
}

$end = microtime(true) + (int) getenv('SHOP_SECONDS');
while (microtime(true) < $end) {
    search_products();
    price_cart();
    usleep(5000);
}
