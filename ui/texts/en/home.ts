// Texts of the first page.
export const home = {
  plugins: { one: '{n} plugin is active.', other: '{n} plugins are active.' },
  all: 'Show the plugins',
} as const
