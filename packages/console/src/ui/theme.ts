/** How the console looks. Contrast of every text is at least 4.5 to 1, light and dark (WCAG 2.2, 1.4.3). */
import { createTheme, type CSSVariablesResolver } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  luminanceThreshold: 0.36,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  // A work tool: 14 px for text and 13 px beside it, so that a screen of 900 px shows some 20 rows of a table.
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  spacing: { xs: '0.5rem', sm: '0.625rem', md: '0.875rem', lg: '1.125rem', xl: '1.5rem' },
  fontFamily: "system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: 'ui-monospace, Menlo, Consolas, monospace',
  // A page has one banner, and a dialog has none of its own.
  components: {
    // Words of a state are never cut: where they do not fit beside others they take a second line.
    Badge: {
      styles: {
        root: { height: 'auto', minHeight: 'var(--badge-height)', flexShrink: 0, maxWidth: '100%' },
        label: { whiteSpace: 'normal', textOverflow: 'clip', lineHeight: 1.3 },
      },
    },
    DrawerHeader: { defaultProps: { component: 'div' } },
    ModalHeader: { defaultProps: { component: 'div' } },
    NavLink: { styles: { root: { paddingBlock: 6, borderRadius: 8 } } },
  },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } },
  },
})

/** Where the base library's own shades are too faint. */
export const variables: CSSVariablesResolver = ({ colors }) => {
  const named = Object.keys(colors).filter((name) => name !== 'dark' && name !== 'gray')
  const texts = (shade: (name: string) => string) =>
    Object.fromEntries(
      named.flatMap((name) => [
        [`--mantine-color-${name}-outline`, shade(name)],
        [`--mantine-color-${name}-light-color`, shade(name)],
        [`--mantine-color-${name}-text`, shade(name)],
      ]),
    )
  return {
    variables: {},
    light: {
      // Its darkest shade is still too light on its lightest.
      ...texts((name) => `color-mix(in srgb, var(--mantine-color-${name}-9), #000 30%)`),
      '--mantine-color-dimmed': '#545b66',
      '--mantine-color-placeholder': '#626973',
      '--mantine-color-error': '#b3202a',
      '--mantine-color-anchor': 'var(--mantine-color-blue-8)',
      '--toolway-paper': '#f6f7f9',
    },
    dark: {
      ...texts((name) => `var(--mantine-color-${name}-3)`),
      '--mantine-color-dimmed': '#a9b0bb',
      '--mantine-color-placeholder': '#9aa1ac',
      '--mantine-color-error': '#ff9a9a',
      '--mantine-color-anchor': 'var(--mantine-color-blue-3)',
      '--toolway-paper': '#16181c',
    },
  }
}
