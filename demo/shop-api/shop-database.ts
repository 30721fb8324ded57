import { DatabaseSync } from 'node:sqlite';
import { ApiProblem } from '../api-frame/api-problem.ts';
import { inOneTransaction } from '../api-frame/in-one-transaction.ts';
import { unusedId } from '../api-frame/unused-id.ts';
import { SEED_PRODUCTS } from './seed-products.ts';

/** As the API answers it. `price` is in `currency`, with at most two decimals. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly price: number;
  readonly currency: 'CHF';
  readonly stock: number;
}

/** As the API answers it. `total` is in `currency`. */
export interface Order {
  readonly orderId: string;
  readonly status: 'confirmed';
  readonly productId: string;
  readonly quantity: number;
  readonly total: number;
  readonly currency: 'CHF';
  readonly createdAt: string;
}

export interface OrderRequest {
  readonly productId: string;
  /** Units, 1 … 100. */
  readonly quantity: number;
  /** Who orders; an order is shown to its owner only. */
  readonly owner: string;
  readonly sessionId: string | undefined;
  readonly idempotencyKey: string | undefined;
}

interface ProductRow {
  id: string;
  name: string;
  description: string;
  price_cents: number;
  stock: number;
}

interface OrderRow {
  id: string;
  product_id: string;
  quantity: number;
  total_cents: number;
  created_at: string;
}

const SCHEMA = `
  create table if not exists products (
    id text primary key,
    name text not null,
    description text not null,
    price_cents integer not null check (price_cents >= 0),
    stock integer not null check (stock >= 0)
  ) strict;
  create table if not exists orders (
    id text primary key,
    owner text not null,
    product_id text not null references products (id),
    quantity integer not null check (quantity > 0),
    total_cents integer not null,
    created_at text not null,
    session_id text,
    idempotency_key text,
    unique (owner, idempotency_key)
  ) strict;
`;

/** The shop's products and orders in one SQLite file. Every call is synchronous and either happens wholly or not at all. */
export class ShopDatabase {
  readonly #database: DatabaseSync;

  /** Opens or creates `file` and puts the products in where there are none. `:memory:` works as well. */
  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec('pragma journal_mode = wal');
    this.#database.exec(SCHEMA);
    const insert = this.#database.prepare('insert or ignore into products values (?, ?, ?, ?, ?)');
    for (const { id, name, description, priceCents, stock } of SEED_PRODUCTS) {
      insert.run(id, name, description, priceCents, stock);
    }
  }

  listProducts(): Product[] {
    const rows = this.#database.prepare('select * from products order by rowid').all();
    return (rows as unknown as ProductRow[]).map(toProduct);
  }

  /** Throws `ApiProblem` `unknown_order`, also for an order of somebody else. */
  findOrder(orderId: string, owner: string): Order {
    const row = this.#database.prepare('select * from orders where id = ? and owner = ?').get(orderId, owner);
    if (row === undefined) {
      throw new ApiProblem('unknown_order', {
        detail: 'There is no order of this number.',
        field: 'orderId',
        expected: 'the number of one of your orders',
        received: orderId,
        example: 'ord_9c14a7',
      });
    }
    return toOrder(row as unknown as OrderRow);
  }

  /**
   * Takes the units off the stock and writes the order. A key that this owner has used gives back the first order and
   * `isReplay`, and nothing happens a second time.
   * Throws `ApiProblem` `unknown_product`, `out_of_stock`, or `key_conflict` for a used key with another order.
   */
  placeOrder(request: OrderRequest): { order: Order; isReplay: boolean } {
    return inOneTransaction(this.#database, () => this.#findReplay(request) ?? this.#insertOrder(request));
  }

  close(): void {
    this.#database.close();
  }

  #findReplay({ owner, idempotencyKey, productId, quantity }: OrderRequest) {
    if (idempotencyKey === undefined) return undefined;
    const found = this.#database
      .prepare('select * from orders where owner = ? and idempotency_key = ?')
      .get(owner, idempotencyKey);
    if (found === undefined) return undefined;
    const row = found as unknown as OrderRow;
    if (row.product_id !== productId || row.quantity !== quantity) {
      throw new ApiProblem('key_conflict', {
        detail: 'This idempotency key was used for another order.',
        field: 'X-Idempotency-Key',
        expected: 'a new key for a new order',
        received: `a key used for ${row.quantity} of ${row.product_id}`,
      });
    }
    return { order: toOrder(row), isReplay: true };
  }

  #insertOrder({ productId, quantity, owner, sessionId, idempotencyKey }: OrderRequest) {
    const found = this.#database.prepare('select * from products where id = ?').get(productId);
    if (found === undefined) {
      throw new ApiProblem('unknown_product', {
        detail: 'The shop has no such product.',
        field: 'productId',
        expected: 'the id of a product that GET /products lists',
        received: productId,
        example: SEED_PRODUCTS[0]?.id,
      });
    }
    const product = found as unknown as ProductRow;
    if (product.stock < quantity) {
      throw new ApiProblem('out_of_stock', {
        detail:
          product.stock === 0 ? `${product.name} is sold out.` : `Only ${product.stock} of ${product.name} are left.`,
        field: 'quantity',
        expected: product.stock === 0 ? 'another product' : `at most ${product.stock}`,
        received: String(quantity),
      });
    }
    const row: OrderRow = {
      id: unusedId(this.#database, 'orders', 'ord'),
      product_id: productId,
      quantity,
      total_cents: product.price_cents * quantity,
      created_at: new Date().toISOString(),
    };
    this.#database.prepare('update products set stock = stock - ? where id = ?').run(quantity, productId);
    this.#database
      .prepare(
        `insert into orders (id, owner, product_id, quantity, total_cents, created_at, session_id, idempotency_key)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        row.id,
        owner,
        productId,
        quantity,
        row.total_cents,
        row.created_at,
        sessionId ?? null,
        idempotencyKey ?? null,
      );
    return { order: toOrder(row), isReplay: false };
  }
}

function toProduct(row: ProductRow): Product {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    price: row.price_cents / 100,
    currency: 'CHF',
    stock: row.stock,
  };
}

function toOrder(row: OrderRow): Order {
  return {
    orderId: row.id,
    status: 'confirmed',
    productId: row.product_id,
    quantity: row.quantity,
    total: row.total_cents / 100,
    currency: 'CHF',
    createdAt: row.created_at,
  };
}
