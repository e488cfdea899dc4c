// Notifications: sends messages through notifiers according to rules. Notifiers are plugins.
import { notifications } from './plugin.ts'

export default notifications(Date.now)
