// German. What is not here yet stays English.
export { login, parts, shell } from './frame.ts'
export { home } from './home.ts'
