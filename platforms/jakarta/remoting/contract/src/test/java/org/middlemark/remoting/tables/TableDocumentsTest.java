package org.middlemark.remoting.tables;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.middlemark.remoting.domain.Samples;
import org.middlemark.remoting.domain.TableSet;
import org.middlemark.remoting.domain.TableSet.Column;
import org.middlemark.remoting.domain.TableSet.Table;
import org.middlemark.remoting.domain.Unreadable;

class TableDocumentsTest {
    private static final String START = "<tableSet xmlns=\"urn:middlemark:tables\">";

    @Test
    void aTableSetArrivesAsItWas() {
        assertEquals(Samples.TABLES, TableDocuments.read(TableDocuments.write(Samples.TABLES)));
    }

    @Test
    void aTableWithoutRowsArrivesToo() {
        TableSet none = TableSet.of(new Table("products", List.of(new Column("product_id", "int")), List.of()));
        assertEquals(none, TableDocuments.read(TableDocuments.write(none)));
    }

    @Test
    void aDocumentOfAnyWriterIsRead() {
        String document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<t:tableSet xmlns:t=\"urn:middlemark:tables\">\n"
                + "<t:table name=\"a\"><t:column type=\"int\" name=\"b\"></t:column>\n"
                + "<t:row><t:value>1</t:value></t:row><t:row><t:null></t:null></t:row><!-- end -->\n"
                + "</t:table></t:tableSet>\n";
        assertEquals(TableSet.of(new Table("a", List.of(new Column("b", "int")),
                List.of(List.of("1"), Arrays.asList((String) null)))), TableDocuments.read(document));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "text", "<tableSet/>", START + "</tableSet>", START + "<table name='a'/></tableSet>",
        START + "<table><column name='a' type='int'/></table></tableSet>",
        START + "<table name='a'><column name='a'/></table></tableSet>",
        START + "<table name='a'><column name='a' type='int'/><row/></table></tableSet>",
        START + "<table name='a'><column name='a' type='int'/><row><value>1</value><value>2</value></row></table>"
                + "</tableSet>",
        START + "<table name='a'><column name='a' type='int'/><row><other/></row></table></tableSet>",
        START + "<table name='a'><column name='a' type='int'/></table>",
        START + "<table name='a'><column name='a' type='int'/></table></tableSet><more/>",
        "<!DOCTYPE x [<!ENTITY e 'v'>]>" + START
                + "<table name='a'><column name='a' type='int'/><row><value>&e;</value></row></table></tableSet>",
    })
    void anyOtherDocumentIsUnreadable(String document) {
        assertThrows(Unreadable.class, () -> TableDocuments.read(document));
    }
}
