// A text for the camera of a phone.
import { QRCodeSVG } from 'qrcode.react'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'

/** Dark on light in both schemes: many readers refuse the opposite. Load pages that show it lazily. */
export function QrCode({ text, size = 160 }: { readonly text: string; readonly size?: number }) {
  return <QRCodeSVG value={text} size={size} marginSize={3} role="img" title={say(parts.qr, { text })} />
}
