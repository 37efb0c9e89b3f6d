// Profiles a web page with the JS Self-Profiling API (Chromium) and sends V8 CPU profiles to Hearth. The page needs the response
// header `Document-Policy: js-profiling`, and the setting `cors-origins` of the server must list its origin.
//   <script src="https://hearth.example:4040/browser-profiler.js" data-to="https://hearth.example:4318" data-service="shop-web"></script>
// data-token, data-interval (ms between samples, 10), data-every (s between sends, 30), data-share (of the page views, 1)
;(() => {
  const { to, service, token, interval = 10, every = 30, share = 1 } = document.currentScript.dataset
  if (!window.Profiler || Math.random() >= share) return
  const us = ms => Math.round((performance.timeOrigin + ms) * 1000)
  const node = (id, functionName, url = '', lineNumber = 0, columnNumber = 0) => {
    const callFrame = { functionName, scriptId: '0', url, lineNumber: lineNumber - 1, columnNumber: columnNumber - 1 }
    return { id, callFrame, children: [] }
  }
  const convert = ({ frames, resources, stacks, samples }, start, end) => {
    const [root, idle] = [node(1, '(root)'), node(2, '(idle)')]
    root.children.push(2)
    const of = ({ frameId }, i) => {
      const { name, resourceId, line, column } = frames[frameId]
      return node(i + 3, name, resources[resourceId], line, column)
    }
    const nodes = [root, idle, ...stacks.map(of)]
    stacks.forEach(({ parentId = -2 }, i) => nodes[parentId + 2].children.push(i + 3))
    const times = samples.map(({ timestamp }) => us(timestamp))
    return {
      nodes,
      startTime: us(start),
      endTime: us(end),
      samples: samples.map(({ stackId = -1 }) => stackId + 3),
      timeDeltas: times.map((time, i) => time - (i ? times[i - 1] : us(start))),
    }
  }
  const run = async () => {
    const start = performance.now()
    const profiler = new Profiler({ sampleInterval: +interval, maxBufferSize: (1500 * every) / interval })
    await new Promise(done => {
      setTimeout(done, every * 1000)
      addEventListener('pagehide', done, { once: true })
    })
    const body = JSON.stringify(convert(await profiler.stop(), start, performance.now()))
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const query = new URLSearchParams({ service, format: 'cpuprofile' })
    query.append('attribute', `url.path=${location.pathname}`)
    // A page that is left sends at most 64 kB.
    await fetch(`${to}/v1/push?${query}`, { method: 'POST', body, headers, keepalive: body.length < 6e4 })
    run()
  }
  run().catch(() => {})
})()
