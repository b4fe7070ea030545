@0xb5a1c7d2e9f34861;

interface Bench {
  call @0 (request :Data) -> (reply :Data);
}
