"""XML documents in values: written in one way, so that what differs is their content."""

from __future__ import annotations

from lxml import etree

from middlemark.conformance.cases.caller import ContractBroken


def canonical(text: object, where: str) -> str:
    """Return a document in Canonical XML, the root's name space without a prefix.

    Raises ContractBroken, which names `where`, for a text that is not XML.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        read = etree.fromstring(str(text).encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ContractBroken(f"{where} a text that is not XML: {error}") from error
    # Elements keep the prefix that they were read with, so they are made anew.
    space = etree.QName(read).namespace
    root = etree.Element(read.tag, nsmap={None: space} if space else None)  # type: ignore[dict-item]
    _copy(read, root)
    return etree.tostring(root, method="c14n").decode()


def _copy(read: etree._Element, made: etree._Element) -> None:
    made.attrib.update(read.attrib)
    made.text = read.text
    for child in read:
        one = etree.SubElement(made, child.tag)
        one.tail = child.tail
        _copy(child, one)
