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
  fontFamily: "system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: 'ui-monospace, Menlo, Consolas, monospace',
  // A page has one banner, and a dialog has none of its own.
  components: {
    DrawerHeader: { defaultProps: { component: 'div' } },
    ModalHeader: { defaultProps: { component: 'div' } },
  },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } },
  },
})

/** Where the base library's own shades are too faint. */
export const variables: CSSVariablesResolver = ({ colors }) => {
  const named = Object.keys(colors).filter((name) => name !== 'dark' && name !== 'gray')
  const texts = (shade: number) =>
    Object.fromEntries(
      named.flatMap((name) => [
        [`--mantine-color-${name}-outline`, `var(--mantine-color-${name}-${shade})`],
        [`--mantine-color-${name}-light-color`, `var(--mantine-color-${name}-${shade})`],
        [`--mantine-color-${name}-text`, `var(--mantine-color-${name}-${shade})`],
      ]),
    )
  // The ninth of these are too faint on their own light grounds.
  const [orange, teal] = ['#b83a00', '#066648']
  return {
    variables: {},
    light: {
      ...texts(9),
      '--mantine-color-orange-outline': orange,
      '--mantine-color-orange-light-color': orange,
      '--mantine-color-orange-text': orange,
      '--mantine-color-teal-outline': teal,
      '--mantine-color-teal-light-color': teal,
      '--mantine-color-teal-text': teal,
      '--mantine-color-dimmed': '#545b66',
      '--mantine-color-placeholder': '#626973',
      '--mantine-color-error': '#b3202a',
      '--mantine-color-anchor': 'var(--mantine-color-blue-8)',
      '--toolway-paper': '#f6f7f9',
    },
    dark: {
      ...texts(3),
      '--mantine-color-dimmed': '#a9b0bb',
      '--mantine-color-placeholder': '#9aa1ac',
      '--mantine-color-error': '#ff9a9a',
      '--mantine-color-anchor': 'var(--mantine-color-blue-3)',
      '--toolway-paper': '#16181c',
    },
  }
}
