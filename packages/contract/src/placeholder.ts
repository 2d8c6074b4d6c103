/**
 * Detects placeholders that a user was meant to replace: `your-client-id`, `<secret>`, `changeme`, `xxxx`, a mask that was sent
 * back. Settings that hold one count as unset (connectors.md, section 8). Only whole texts are evaluated.
 */
const WORDS =
  /^(?:(?:your|my|the|insert|enter|add|put)[-_ ].*|.*[-_ ](?:here|goes[-_ ]here)|change[-_ ]?me|replace[-_ ]?me|placeholder(?:[-_ ].*)?|dummy(?:[-_ ].*)?|example(?:[-_ ].*)?|to[-_ ]?do|tbd|none|null|undefined|unset|not[-_ ]set|secret|client[-_ ]?(?:id|secret))$/i
const FORMS = /^(?:<.*>|\[.*\]|\{.*\}|\$\{.*\}|(.)\1*|[•*]+.{0,4}|x{3,}[-_x]*|\.{3}|…)$/i

export const isPlaceholder = (text: string): boolean => {
  const trimmed = text.trim()
  return trimmed === '' || WORDS.test(trimmed) || FORMS.test(trimmed)
}
