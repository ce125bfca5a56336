package mergemaker;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * SIGTERM and Ctrl-C as calls. Java has no public way to end with a status of one's own after
 * either, but every usual one has {@code sun.misc.Signal}; its name is looked up, so that one
 * without it runs the bot all the same, and ends as it likes.
 */
final class Signals {
  private Signals() {}

  static void handle(String signal, Runnable action) {
    try {
      Class<?> type = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) ->
                  switch (method.getName()) {
                    case "handle" -> {
                      action.run();
                      yield null;
                    }
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == arguments[0];
                    default -> "mergemaker's " + signal;
                  });
      Object which = type.getConstructor(String.class).newInstance(signal);
      type.getMethod("handle", type, handler).invoke(null, which, proxy);
    } catch (InvocationTargetException error) {
      // Such as a JVM whose options leave signals alone.
      Mergemaker.complain("SIG" + signal + " is not caught: " + error.getCause());
    } catch (ReflectiveOperationException error) {
      Mergemaker.complain("SIG" + signal + " is not caught: " + error);
    }
  }
}
