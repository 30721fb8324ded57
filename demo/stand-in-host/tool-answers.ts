import { z } from 'zod';

/** The parts of the tools' answers that the stand-in speaks about; the API descriptions have the whole. */
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
const connection = z.object({
  connectionId: z.string(),
  from: z.string(),
  to: z.string(),
  departure: z.string(),
  arrival: z.string(),
  pricePerSeat: z.number(),
  currency: z.string(),
  seatsLeft: z.number(),
});
const freeCar = z.object({
  carId: z.string(),
  city: z.string(),
  model: z.string(),
  category: z.string(),
  seats: z.number(),
  total: z.number(),
  currency: z.string(),
});
const coachBooking = connection
  .pick({ connectionId: true, from: true, to: true, departure: true, arrival: true, currency: true })
  .extend({ bookingId: z.string(), seats: z.number(), total: z.number() });
const carBooking = freeCar
  .pick({ carId: true, city: true, model: true, total: true, currency: true })
  .extend({ bookingId: z.string(), pickUpDate: z.string(), returnDate: z.string() });

export type ShopProduct = z.infer<typeof shopProduct>;
export type ShopOrder = z.infer<typeof shopOrder>;
export type Connection = z.infer<typeof connection>;
export type FreeCar = z.infer<typeof freeCar>;
export type CoachBooking = z.infer<typeof coachBooking>;
export type CarBooking = z.infer<typeof carBooking>;

/** Each reads one kind of body and throws `ZodError` where it is another. */
export const readProducts = (body: unknown): ShopProduct[] =>
  z.object({ products: z.array(shopProduct) }).parse(body).products;
export const readOrder = (body: unknown): ShopOrder => shopOrder.parse(body);
export const readConnections = (body: unknown): Connection[] =>
  z.object({ connections: z.array(connection) }).parse(body).connections;
export const readCars = (body: unknown): FreeCar[] => z.object({ cars: z.array(freeCar) }).parse(body).cars;
export const readCoachBooking = (body: unknown): CoachBooking => coachBooking.parse(body);
export const readCarBooking = (body: unknown): CarBooking => carBooking.parse(body);
