"""Questions to a reviewer about probabilistic spans: question order, effect of answers, learning curves."""
