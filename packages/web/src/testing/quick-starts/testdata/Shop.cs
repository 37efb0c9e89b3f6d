// A shop that works for the seconds of SHOP_SECONDS, half of the time.
using System;
using System.Diagnostics;
using System.Threading;

class Shop {
  static int EditDistance(string a, string b) {
    var row = new int[b.Length + 1];
    for (int j = 0; j <= b.Length; j++) row[j] = j;
    for (int i = 1; i <= a.Length; i++) {
      int last = row[0];
      row[0] = i;
      for (int j = 1; j <= b.Length; j++) {
        int next = Math.Min(Math.Min(row[j], row[j - 1]) + 1, last + (a[i - 1] == b[j - 1] ? 0 : 1));
        last = row[j];
        row[j] = next;
      }
    }
    return row[b.Length];
  }

  static int SearchProducts() {
    int best = 1000;
    for (int i = 0; i < 20000; i++) best = Math.Min(best, EditDistance("garden chair", "product " + i));
    return best;
  }

  static double PriceCart() {
    double sum = 0;
    for (int i = 0; i < 1000000; i++) sum += Math.Sqrt(i * 107L % 997) / 100;
    return sum;
  }

  static void Main() {
    var clock = Stopwatch.StartNew();
    double seconds = double.Parse(Environment.GetEnvironmentVariable("SHOP_SECONDS"));
    double all = 0;
    while (clock.Elapsed.TotalSeconds < seconds) {
      all += SearchProducts() + PriceCart();
      Thread.Sleep(5);
    }
    Console.WriteLine(all);
  }
}
