# A shop that works for the seconds of SHOP_SECONDS, half of the time.
SNIPPET

def edit_distance(a, b)
  row = (0..b.length).to_a
  a.each_char.with_index(1) do |x, i|
    last = row[0]
    row[0] = i
    b.each_char.with_index(1) do |y, j|
      last, row[j] = row[j], [row[j] + 1, row[j - 1] + 1, last + (x == y ? 0 : 1)].min
    end
  end
  row.last
end

def search_products
  (0...20).map { |i| edit_distance('garden chair', "product #{i}") }.min
end

def price_cart
  (0...5000).sum { |i| (i * 107 % 997) / 100.0 }
end

finish = Time.now + ENV['SHOP_SECONDS'].to_i
while Time.now < finish
  search_products
  price_cart
  sleep 0.005
end
