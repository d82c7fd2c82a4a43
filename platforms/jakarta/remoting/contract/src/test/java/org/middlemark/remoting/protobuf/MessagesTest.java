package org.middlemark.remoting.protobuf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import java.util.Optional;
import middlemark.remoting.v1.RemotingOuterClass;
import org.junit.jupiter.api.Test;
import org.middlemark.remoting.domain.Samples;

class MessagesTest {
    @Test
    void anOrderArrivesAsItWas() throws InvalidProtocolBufferException {
        byte[] bytes = Messages.order(Samples.ORDER).toByteArray();
        assertEquals(Samples.ORDER, Records.order(RemotingOuterClass.Order.parseFrom(bytes)));
    }

    @Test
    void productsCustomersAndTablesArriveAsTheyWere() {
        assertEquals(List.of(Samples.PRODUCT), Records.products(Messages.products(List.of(Samples.PRODUCT))));
        assertEquals(Optional.of(Samples.CUSTOMER), Records.customer(Messages.customer(Optional.of(Samples.CUSTOMER))));
        assertEquals(Optional.empty(), Records.customer(Messages.customer(Optional.empty())));
        assertEquals(Samples.TABLES, Records.tables(Messages.tables(Samples.TABLES)));
    }
}
