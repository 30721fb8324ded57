import { z } from 'zod';

/** The parts of the shop's answers that the stand-in speaks about; the shop's API description has the whole. */
const shopProduct = z.object({
  id: z.string(),
  name: z.string(),
  price: z.number(),
  currency: z.string(),
  stock: z.number(),
});
const shopOrder = z.object({
  orderId: z.string(),
  status: z.string(),
  productId: z.string(),
  quantity: z.number(),
  total: z.number(),
  currency: z.string(),
});
const refusal = z.object({
  detail: z.string(),
  field: z.string().optional(),
  expected: z.string().optional(),
  received: z.string().optional(),
});

export type ShopProduct = z.infer<typeof shopProduct>;
export type ShopOrder = z.infer<typeof shopOrder>;
export type Refusal = z.infer<typeof refusal>;

/** Each reads one kind of body and throws `ZodError` where it is another. */
export const readProducts = (body: unknown): ShopProduct[] =>
  z.object({ products: z.array(shopProduct) }).parse(body).products;
export const readOrder = (body: unknown): ShopOrder => shopOrder.parse(body);
export const readRefusal = (body: unknown): Refusal => refusal.parse(body);
