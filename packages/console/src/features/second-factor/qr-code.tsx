/** A QR code, dark on light whatever the theme is: cameras read no other. */
import { encodeQR } from 'qr'

export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, 'raw', { border: 4 })
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      style={{ background: '#fff', width: '100%', maxWidth: 240, alignSelf: 'center' }}
    >
      <path d={path} fill="#000" />
    </svg>
  )
}
