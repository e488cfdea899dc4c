// The guide and the API reference have the colours that were chosen for the pages. Runs before they are drawn.
const chosen = localStorage.getItem('mantine-color-scheme-value')
if (chosen === 'light' || chosen === 'dark') document.documentElement.style.colorScheme = chosen
