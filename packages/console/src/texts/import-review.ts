/** The words of the review of several servers before they are connected. */
export const importReview = {
  note: 'Nothing is contacted before you connect.',
  twin: (name: string) => `Same as ${name} above`,
  sealed: (names: string) => `Stored encrypted: ${names}`,
  key: 'API key',
}
