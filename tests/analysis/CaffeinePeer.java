// Misses of W-TinyLFU as Caffeine's simulator has it (sketch.WindowTinyLfu), with the sketch of Caffeine itself, for
// the numbers in test_policy_peers.py. Reads a cache's size and block numbers, one a line; prints the misses.
//
//   mvn dependency:get -Dartifact=com.github.ben-manes.caffeine:simulator:3.1.8
//   jars=$(find ~/.m2 -name '*.jar' | tr '\n' ':')
//   javac -cp "$jars" -d . CaffeinePeer.java && java -cp ".:$jars" com.github.benmanes.caffeine.cache.CaffeinePeer
package com.github.benmanes.caffeine.cache;

import com.github.benmanes.caffeine.cache.simulator.admission.Admittor;
import com.github.benmanes.caffeine.cache.simulator.policy.AccessEvent;
import com.github.benmanes.caffeine.cache.simulator.policy.sketch.WindowTinyLfuPolicy;
import com.typesafe.config.ConfigFactory;
import java.io.BufferedReader;
import java.io.InputStreamReader;

public final class CaffeinePeer {
  private CaffeinePeer() {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    int size = Integer.parseInt(lines.readLine());
    var config = ConfigFactory.parseString(
        "maximum-size = " + size + ", window-tiny-lfu { percent-main = [0.99], percent-main-protected = 0.80 }")
        .withFallback(ConfigFactory.load().getConfig("caffeine.simulator"));
    var policy = new WindowTinyLfuPolicy(0.99, new WindowTinyLfuPolicy.WindowTinyLfuSettings(config));
    var sketch = new FrequencySketch<Long>();
    sketch.ensureCapacity(size);
    var admittor = WindowTinyLfuPolicy.class.getDeclaredField("admittor");
    admittor.setAccessible(true);
    admittor.set(policy, new Admittor() {
      @Override public void record(AccessEvent event) {
        sketch.increment(event.key());
      }
      @Override public boolean admit(AccessEvent candidate, AccessEvent victim) {
        return sketch.frequency(candidate.key()) > sketch.frequency(victim.key());
      }
    });
    lines.lines().forEach(block -> policy.record(Long.parseLong(block)));
    System.out.println(policy.stats().missCount());
  }
}
