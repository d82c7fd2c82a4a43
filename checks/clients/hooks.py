"""What schemathesis leaves out of its requests: a whole number written as `22.0`.

To JSON Schema it is an integer, to the usual readers of a 64-bit number it is not; specs/README.md leaves open whether
it is read.
"""

# mypy: ignore-errors
import schemathesis


@schemathesis.hook
def map_body(context, body):  # noqa: ARG001, ANN001, ANN201
    """Return the body with whole numbers written as such."""
    if not isinstance(body, dict):
        return body
    return {
        key: int(value) if isinstance(value, float) and value.is_integer() else value for key, value in body.items()
    }
