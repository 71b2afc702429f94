"""What is kept between runs. Nothing here reaches a network."""
