package org.middlemark.remoting.client.proxies;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import org.middlemark.remoting.soap.Envelopes;
import org.middlemark.remoting.soap.wire.Remoting;

/** SOAP envelopes over TCP. */
final class TcpSoapProxy extends SoapProxy {
    private final FrameConnection connection;
    private final Remoting port;

    TcpSoapProxy(FrameConnection connection) {
        this.connection = connection;
        InvocationHandler exchange = this::exchange;
        port = (Remoting) java.lang.reflect.Proxy.newProxyInstance(Remoting.class.getClassLoader(),
                new Class<?>[] {Remoting.class}, exchange);
    }

    /** Every operation has one bean, whose element names the operation. */
    private Object exchange(Object proxy, Method operation, Object[] arguments) {
        return operation.getReturnType().cast(Envelopes.read(connection.exchange(Envelopes.write(arguments[0]))));
    }

    @Override
    Remoting port() {
        return port;
    }

    @Override
    public void disconnect() {
        connection.disconnect();
    }
}
