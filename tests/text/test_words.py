from hypothesis import example, given
from hypothesis import strategies as st

from emendo.text.words import _split_any, split_words


def test_words_with_what_is_glued_to_them():
    text = "Don't  pay 10,000.50 at 12:30, well-known_x (e.g. O'Neil's)-- \n"
    words = [text[w.body : w.end] for w in split_words(text)]
    assert " ".join(words) == (
        "Don't pay 10,000.50 at 12:30 , well-known_x ( e . g . O'Neil's ) - - "
    )


@given(
    st.text(alphabet=st.characters(max_codepoint=127)) | st.text("a1_'-.,: \n\x1c(", max_size=20)
)
@example("a'-b")
@example("1.2.a")
@example("_'a")
@example(" ")
def test_the_fast_way_is_the_slow_way(text):
    assert split_words(text) == _split_any(text)
    assert "".join(text[w.start : w.end] for w in split_words(text)) == text
