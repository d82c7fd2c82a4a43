"""Price sheets: what people write down of prices, read and checked."""
