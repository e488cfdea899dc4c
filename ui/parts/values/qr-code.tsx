import { QRCodeSVG } from 'qrcode.react'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'

/** Dark on light in both schemes, because many scanners reject inverted codes. Import it lazily: the library is large. */
export function QrCode({ text, size = 160 }: { readonly text: string; readonly size?: number }) {
  return <QRCodeSVG value={text} size={size} marginSize={3} role="img" title={say(parts.qr, { text })} />
}
