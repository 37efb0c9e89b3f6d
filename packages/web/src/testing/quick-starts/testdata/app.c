// A shop that works for the seconds of SHOP_SECONDS, half of the time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int edit_distance(const char *a, const char *b) {
  int row[64];
  int width = (int)strlen(b);
  for (int j = 0; j <= width; j++) row[j] = j;
  for (int i = 1; a[i - 1] != 0; i++) {
    int last = row[0];
    row[0] = i;
    for (int j = 1; j <= width; j++) {
      int next = last + (a[i - 1] != b[j - 1]);
      if (row[j] + 1 < next) next = row[j] + 1;
      if (row[j - 1] + 1 < next) next = row[j - 1] + 1;
      last = row[j];
      row[j] = next;
    }
  }
  return row[width];
}

static int search_products(void) {
  int best = 1000;
  for (int i = 0; i < 20000; i++) {
    char name[32];
    snprintf(name, sizeof name, "product %d", i);
    int distance = edit_distance("garden chair", name);
    if (distance < best) best = distance;
  }
  return best;
}

static double price_cart(void) {
  volatile double sum = 0;
  for (int i = 0; i < 1000000; i++) sum += (i * 107 % 997) / 100.0;
  return sum;
}

int main(void) {
  time_t end = time(NULL) + atoi(getenv("SHOP_SECONDS"));
  double all = 0;
  while (time(NULL) < end) {
    all += search_products() + price_cart();
    usleep(5000);
  }
  printf("%f\n", all);
  return 0;
}
