/** The default theme with the fonts of the machine: nothing is loaded from elsewhere, and no font is passed on. */
export { default } from 'vitepress/theme-without-fonts'
