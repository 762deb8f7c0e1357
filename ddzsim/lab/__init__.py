"""The bidding laboratory: what bids are worth on tables of deals, and the advice that pays best."""
