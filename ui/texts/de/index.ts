// German. What is not here yet stays English.
import { login, parts, shell } from './frame.ts'
import { home } from './home.ts'

// As one value: a module's names would cost every language a file of their own.
export default { home, login, parts, shell }
