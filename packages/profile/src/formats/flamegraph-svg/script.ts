// Style and script of the SVG file, as strings because this package does not use the DOM. The script reads everything from the
// boxes: position and width from 0 to 1, the row, and the name from the first line of the title.

export const STYLE = `
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #222 }
.paper { fill: #fffdf8 }
.h { text-anchor: middle; font-size: 15px }
.b { cursor: pointer; text-decoration: underline }
.f { cursor: pointer }
.f text { pointer-events: none }
.f:hover rect { stroke: #222; stroke-width: 0.7 }
.f.above { opacity: 0.55 }
.f.found rect { fill: #c353e6 }
.hidden { display: none }
`

export const SCRIPT = `
(function () {
  'use strict'
  var own = document.currentScript
  var root = (own && own.closest && own.closest('svg')) || document.documentElement
  var group = root.querySelector('#frames')
  var frames = Array.prototype.slice.call(root.querySelectorAll('.f'))
  var left = Number(group.dataset.left)
  var width = Number(group.dataset.width)
  var boxes = frames.map(function (g) {
    var title = g.querySelector('title').textContent
    var name = title.split('\\n')[0]
    return {
      g: g, name: name, title: title.replace('\\n', ': '), letters: Array.from(name),
      x: Number(g.dataset.x), w: Number(g.dataset.w), row: Number(g.dataset.r),
      rect: g.querySelector('rect'), text: g.querySelector('text')
    }
  })
  var byId = function (id) { return root.querySelector('#' + id) }
  var slack = 1e-8

  function place(box, x, w) {
    box.rect.setAttribute('x', left + x * width)
    box.rect.setAttribute('width', w * width)
    box.text.setAttribute('x', left + x * width + 3)
    var count = Math.floor((w * width - 6) / 7.2)
    box.text.textContent = count < 3 ? '' : box.letters.length <= count ? box.name
      : box.letters.slice(0, count - 2).join('') + '..'
  }

  function zoom(target) {
    boxes.forEach(function (box) {
      var within = box.x >= target.x - slack && box.x + box.w <= target.x + target.w + slack
      var around = box.x <= target.x + slack && box.x + box.w >= target.x + target.w - slack
      var above = box.row < target.row && around
      box.g.classList.toggle('above', above)
      box.g.classList.toggle('hidden', !above && !(within && box.row >= target.row))
      if (above) place(box, 0, 1)
      else if (within && box.row >= target.row) place(box, (box.x - target.x) / target.w, box.w / target.w)
    })
    byId('zoom-out').classList.toggle('hidden', target === boxes[0])
  }

  function search(text) {
    var test = null
    if (text) {
      try { test = new RegExp(text, 'i') } catch (error) {
        test = new RegExp(text.replace(/[.*+?^$()|[\\]{}\\\\]/g, '\\\\$&'), 'i')
      }
    }
    var found = boxes.filter(function (box) {
      var is = test !== null && box.row > 0 && test.test(box.name)
      box.g.classList.toggle('found', is)
      return is
    })
    // Of nested boxes only the outermost counts.
    found.sort(function (a, b) { return a.x - b.x || a.row - b.row })
    var end = -1
    var share = found.reduce(function (sum, box) {
      if (box.x + slack < end) return sum
      end = box.x + box.w
      return sum + box.w
    }, 0)
    byId('matched').textContent = test === null ? ' ' : 'Matched: ' + (100 * share).toFixed(1) + '%'
    byId('search').textContent = test === null ? 'Search' : 'Reset search'
  }

  var searching = false
  function promptSearch() {
    var text = searching ? '' : window.prompt('Search functions (regular expression)', '')
    searching = Boolean(text)
    search(text)
  }

  boxes.forEach(function (box) {
    box.g.addEventListener('click', function () { zoom(box) })
    box.g.addEventListener('mouseenter', function () { byId('details').textContent = box.title })
    box.g.addEventListener('mouseleave', function () { byId('details').textContent = ' ' })
  })
  byId('zoom-out').addEventListener('click', function () { zoom(boxes[0]) })
  byId('search').addEventListener('click', promptSearch)
  window.addEventListener('keydown', function (event) {
    if (event.key === 'Escape') zoom(boxes[0])
    else if (event.key === 'F3' || ((event.ctrlKey || event.metaKey) && event.key === 'f')) {
      event.preventDefault()
      promptSearch()
    }
  })
})()
`
