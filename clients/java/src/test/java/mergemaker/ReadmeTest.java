package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bot that the README begins with is one that can be pasted. */
class ReadmeTest {
  private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void theFirstBotCompiles(@TempDir Path classes) throws Exception {
    Matcher found = PROGRAM.matcher(Files.readString(Path.of("README.md")));
    assertTrue(found.find(), "the README has a program");
    String program = found.group(1);
    JavaFileObject source =
        new SimpleJavaFileObject(URI.create("FirstBot.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return program;
          }
        };
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    List<String> options =
        List.of(
            "-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none");
    assertTrue(
        compiler.getTask(said, null, null, options, null, List.of(source)).call(), said.toString());
    assertEquals("", said.toString());
  }
}
