// Takes the pictures that the README shows:  npm run screenshots
// The profile in them is made up here, so that anybody can make the same pictures again.
import { readProfile, writeProfile } from '@hearth/profile'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { chromiumFlags, findChromium, thisMachine } from './find-chromium.ts'

/** A shop's checkout under load: root first, values in samples. */
const STACKS = `
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Cart.Load;sql.DB.Query;sql.driver.Exec;net.Conn.Read;syscall.Read_[k] 410
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Cart.Load;sql.DB.Query;sql.driver.Exec;sql.rows.Scan;reflect.Value.Set 130
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Cart.Load;json.Unmarshal;json.decodeState.object;json.decodeState.literal 280
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Cart.Load;json.Unmarshal;json.decodeState.object;reflect.Value.SetMapIndex;runtime.mapassign 190
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Cart.Load;json.Unmarshal;json.checkValid 120
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Prices.Recompute;shop.Discount.Apply;big.Rat.Mul;big.nat.mul;big.addMulVVW 620
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Prices.Recompute;shop.Discount.Apply;big.Rat.Add;big.nat.gcd 240
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Prices.Recompute;shop.Tax.Rate;regexp.Regexp.MatchString;regexp.machine.step 310
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Prices.Recompute;shop.Tax.Rate;strings.ToLower 70
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Checkout;shop.Payment.Sign;rsa.SignPKCS1v15;big.Int.Exp;big.nat.expNN;big.addMulVVW 350
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Search;index.Lookup;sort.Slice;sort.pdqsort;shop.byScore.Less 220
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Search;index.Lookup;index.Intersect 180
main;http.Server.Serve;http.conn.serve;shop.Router.ServeHTTP;shop.Search;template.Execute;template.walk;fmt.Fprintf 140
main;http.Server.Serve;http.conn.serve;tls.Conn.Write;tls.halfConn.encrypt;aes.gcmAsm.Seal 160
main;http.Server.Serve;http.conn.serve;bufio.Writer.Flush;net.Conn.Write;syscall.Write_[k];tcp_sendmsg_[k];tcp_write_xmit_[k] 210
runtime.gcBgMarkWorker;runtime.gcDrain;runtime.scanobject;runtime.greyobject 300
runtime.gcBgMarkWorker;runtime.gcDrain;runtime.scanobject;runtime.heapBits.next 130
runtime.mcall;runtime.schedule;runtime.findRunnable;runtime.netpoll;epoll_wait_[k] 170
`

const folder = new URL('../docs/images/', import.meta.url).pathname
const found = findChromium(thisMachine)
if (found.kind === 'missing') throw new Error(`no pictures without a browser: ${found.why}`)
const { profiles } = readProfile(new TextEncoder().encode(`# type=cpu unit=samples\n${STACKS.trim()}\n`), {
  format: 'folded',
})
const work = mkdtempSync(join(tmpdir(), 'hearth-pictures-'))
const page = join(work, 'flame.html')
writeFileSync(page, writeProfile(profiles, 'flamegraph-html').bytes)
mkdirSync(folder, { recursive: true })

const browser = await chromium.launch({ executablePath: found.path, args: [...chromiumFlags] })
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const tab = await browser.newPage({ viewport: { width: 1280, height: 460 }, colorScheme })
    await tab.goto(pathToFileURL(page).href)
    await tab.mouse.move(420, 235)
    await tab.screenshot({ path: join(folder, `flame-${colorScheme}.png`) })
    await tab.close()
  }
} finally {
  await browser.close()
  rmSync(work, { recursive: true })
}
console.log('pictures written to docs/images')
