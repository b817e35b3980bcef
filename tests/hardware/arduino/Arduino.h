/* What the sketch of the rig kit uses of the Arduino core, to compile it without one. */
#include <stddef.h>
#include <stdint.h>

#define OUTPUT 1
#define INPUT_PULLUP 2
#define HIGH 1
#define LOW 0
#define A0 14
#define A1 15
#define A2 16
#define A3 17

void pinMode(int pin, int mode);
void digitalWrite(int pin, int level);
int digitalRead(int pin);
int analogRead(int pin);
void analogWrite(int pin, int value);
unsigned long micros();

struct SerialPort {
  void begin(unsigned long baud);
  int available();
  int availableForWrite();
  int read();
  size_t write(const uint8_t* bytes, size_t count);
};
extern SerialPort Serial;
void setup();
void loop();
