// Notifications: what people are told, by rules, through notifiers. Knows none of them.
import { notifications } from './plugin.ts'

export default notifications(Date.now)
