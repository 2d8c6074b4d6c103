/** The bounds of the histograms of durations, in seconds: from a call that is refused at once to one at its deadline. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Fewer, where each set of labels has all of them. */
export const FEW_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
