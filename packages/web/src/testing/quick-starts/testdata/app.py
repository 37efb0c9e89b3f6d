# A shop that works for the seconds of SHOP_SECONDS, half of the time.
import os
import time

SNIPPET


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def search_products():
    return min(edit_distance("garden chair", f"product {i}") for i in range(20))


def price_cart():
    return sum(round(i * 107 % 997) / 100 for i in range(5000))


end = time.time() + int(os.environ["SHOP_SECONDS"])
while time.time() < end:
    search_products()
    price_cart()
    time.sleep(0.005)
