"""XML documents in values: written in one way, so that what differs is their content."""

from __future__ import annotations

from lxml import etree

from middlemark.conformance.cases.caller import ContractBroken


def canonical(text: object, where: str) -> str:
    """Return a document in Canonical XML, the root's name space without a prefix.

    Raises ContractBroken, which names `where`, for a text that is not XML.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        # Half a surrogate pair is left for the parser to refuse.
        read = etree.fromstring(str(text).encode(errors="surrogatepass"), parser)
    except etree.XMLSyntaxError as error:
        raise ContractBroken(f"{where} a text that is not XML: {error}") from error
    space = etree.QName(read).namespace
    for one in read.iter():
        if not isinstance(one.tag, str) or etree.QName(one).namespace != space:
            raise ContractBroken(f"{where} a document with more than elements of '{space}': {one.tag}")
    # Elements keep the prefix that they were read with, so they are made anew.
    root = etree.Element(read.tag, nsmap={None: space} if space else None)  # type: ignore[dict-item]
    _copy(read, root)
    try:
        return etree.tostring(root, method="c14n").decode()
    except etree.C14NError as error:
        raise ContractBroken(f"{where} a document without a canonical form: its name space is '{space}'") from error


def _copy(read: etree._Element, made: etree._Element) -> None:
    made.attrib.update(read.attrib)
    made.text = read.text
    for child in read:
        one = etree.SubElement(made, child.tag)
        one.tail = child.tail
        _copy(child, one)
