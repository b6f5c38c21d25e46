"""What an adapted server tells of its flows on the OpenTelemetry API, and never what was said in them."""
