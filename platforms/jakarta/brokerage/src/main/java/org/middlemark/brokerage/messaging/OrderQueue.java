package org.middlemark.brokerage.messaging;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import org.middlemark.brokerage.domain.Order;
import org.middlemark.refusals.Refusal;

/**
 * The server's durable queue of orders that have to be completed. A message is an order's id as text. The resources are
 * looked up when the first order is sent, so that a process without a queue needs none.
 */
@ApplicationScoped
public class OrderQueue {
    /** The queue's name in the server's directory. */
    public static final String NAME = "jms/orders";

    @Resource(name = "jms/connections")
    private ConnectionFactory connections;
    @Resource(name = NAME)
    private Queue queue;

    /** Sends the message of an order in the caller's transaction: it is there when that has been committed. */
    public void send(Order placed) {
        try (JMSContext context = connections.createContext()) {
            context.createProducer().send(queue, Long.toString(placed.orderId()));
        } catch (JMSRuntimeException failure) {
            throw Refusal.unavailable(failure);
        }
    }

    /** The id of the order that a message is about. */
    public static long orderId(Message message) {
        try {
            return Long.parseLong(message.getBody(String.class));
        } catch (JMSException unreadable) {
            throw new IllegalStateException("a message of the queue cannot be read", unreadable);
        }
    }
}
