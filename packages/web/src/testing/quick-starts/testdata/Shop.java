// A shop that works for the seconds of SHOP_SECONDS, half of the time.
public class Shop {
  static int editDistance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) row[j] = j;
    for (int i = 1; i <= a.length(); i++) {
      int last = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int next = Math.min(Math.min(row[j], row[j - 1]) + 1, last + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1));
        last = row[j];
        row[j] = next;
      }
    }
    return row[b.length()];
  }

  static int searchProducts() {
    int best = 1000;
    for (int i = 0; i < 20_000; i++) best = Math.min(best, editDistance("garden chair", "product " + i));
    return best;
  }

  static double priceCart() {
    double sum = 0;
    for (int i = 0; i < 1_000_000; i++) sum += Math.sqrt(i * 107 % 997) / 100;
    return sum;
  }

  public static void main(String[] args) throws InterruptedException {
    long end = System.currentTimeMillis() + 1000 * Long.parseLong(System.getenv("SHOP_SECONDS"));
    double all = 0;
    while (System.currentTimeMillis() < end) {
      all += searchProducts() + priceCart();
      Thread.sleep(5);
    }
    System.out.println(all);
  }
}
