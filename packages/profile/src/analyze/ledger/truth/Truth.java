// Does one thing at a time, each in an event of its own, and prints how long each took.
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Configuration;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;

public class Truth {
  interface Work {
    void run() throws Exception;
  }

  @Name("truth.Part")
  static class Part extends Event {
    String name;
  }

  static final List<String> parts = new ArrayList<>();
  static volatile long sink;
  static volatile byte[] garbage;

  static void timed(String name, String kind, Work work) throws Exception {
    Part part = new Part();
    part.name = name;
    part.begin();
    long begin = System.nanoTime();
    work.run();
    long nanos = System.nanoTime() - begin;
    part.commit();
    parts.add(String.format("{\"name\":\"%s\",\"kind\":\"%s\",\"nanos\":%d}", name, kind, nanos));
  }

  static long hash(long seed) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 2000; i++) text.append((char) ('a' + (seed + i) % 26));
    return text.toString().hashCode();
  }

  static void burn(long millis) {
    long sum = 0;
    for (long end = System.nanoTime() + millis * 1_000_000; System.nanoTime() < end; ) sum += hash(sum);
    sink = sum;
  }

  static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Recording recording = new Recording(Configuration.getConfiguration("profile"));
    recording.enable("jdk.ExecutionSample").withPeriod(java.time.Duration.ofMillis(10));
    for (String event : List.of("ThreadSleep", "JavaMonitorEnter", "ThreadPark", "SocketRead"))
      recording.enable("jdk." + event).withoutThreshold();
    recording.start();
    burn(200); // Lets the compiler finish before the first part.
    timed("burn", "own-cpu", () -> burn(500));
    timed("sleep", "io", () -> sleep(100));
    Object lock = new Object();
    CountDownLatch held = new CountDownLatch(1);
    Thread holder = new Thread(() -> {
      synchronized (lock) {
        Part part = new Part();
        part.name = "hold";
        part.begin();
        held.countDown();
        sleep(150);
        part.commit();
      }
    }, "holder");
    holder.start();
    held.await();
    timed("lock", "lock", () -> {
      synchronized (lock) {
        sink++;
      }
    });
    timed("park", "lock", () -> LockSupport.parkNanos(120_000_000));
    try (ServerSocket server = new ServerSocket(0)) {
      new Thread(() -> {
        try (Socket peer = server.accept()) {
          sleep(80);
          peer.getOutputStream().write(1);
        } catch (java.io.IOException error) {
          throw new IllegalStateException(error);
        }
      }, "server").start();
      try (Socket client = new Socket("localhost", server.getLocalPort())) {
        timed("read", "io", () -> client.getInputStream().read());
      }
    }
    // The collector's own clock, because System.gc() also waits for the other threads to stop.
    GarbageCollectorMXBean collector = ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(each -> each.getName().contains("Old") || each.getName().contains("MarkSweep")).findFirst().orElseThrow();
    long before = collector.getCollectionTime();
    timed("collect", "runtime", System::gc);
    long pause = (collector.getCollectionTime() - before) * 1_000_000;
    parts.set(parts.size() - 1, String.format("{\"name\":\"collect\",\"kind\":\"runtime\",\"nanos\":%d}", pause));
    recording.dump(Path.of(arguments[0]));
    recording.close();
    System.out.println("[" + String.join(",", parts) + "]");
    System.exit(0);
  }
}
